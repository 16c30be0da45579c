/* ntdlk.dll: what stands between a program and ntdll.dll under Wine. On Windows nothing reads or writes bytes that another handle has
 * locked (LockFileEx), not even the process that holds the lock; Wine 8 keeps locks, but lets everybody read and write. The other functions
 * that a program takes from ntdll.dll are handed on by name: `cargo xtask windows` writes them into the .def file. */
#include <windows.h>
#include <winternl.h>

#define FILE_LOCK_CONFLICT ((NTSTATUS)0xC0000054)

typedef NTSTATUS (NTAPI *Transfer)(HANDLE, HANDLE, PIO_APC_ROUTINE, PVOID, PIO_STATUS_BLOCK, PVOID, ULONG, PLARGE_INTEGER, PULONG);

static Transfer real(const char *name)
{
    return (Transfer)(void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), name);
}

/* Whether a handle is of a stream, FILE:STREAM. It has locks of its own; to Wine it is the file, as both have the same inode. */
static BOOL is_stream(HANDLE file)
{
    WCHAR name[1024];
    DWORD length = GetFinalPathNameByHandleW(file, name, 1024, 0);
    /* \\?\Z:\FOLDER\FILE:STREAM */
    while (length > 6 && length < 1024 && name[length - 1] != '\\')
        if (name[--length] == ':')
            return TRUE;
    return FALSE;
}

/* Whether another handle has locked something in this file: then no lock of all of it can be had, not even a shared one. */
static BOOL locked_elsewhere(HANDLE file)
{
    OVERLAPPED start = {0};
    if (GetFileType(file) != FILE_TYPE_DISK)
        return FALSE;
    if (LockFileEx(file, LOCKFILE_FAIL_IMMEDIATELY, 0, ~0u, 0x7fffffff, &start)) {
        UnlockFileEx(file, 0, ~0u, 0x7fffffff, &start);
        return FALSE;
    }
    return GetLastError() == ERROR_LOCK_VIOLATION && !is_stream(file);
}

NTSTATUS NTAPI read_unlocked(HANDLE file, HANDLE event, PIO_APC_ROUTINE apc, PVOID context, PIO_STATUS_BLOCK io, PVOID buffer, ULONG length,
                             PLARGE_INTEGER at, PULONG key)
{
    if (locked_elsewhere(file))
        return io->Status = FILE_LOCK_CONFLICT;
    return real("NtReadFile")(file, event, apc, context, io, buffer, length, at, key);
}

NTSTATUS NTAPI write_unlocked(HANDLE file, HANDLE event, PIO_APC_ROUTINE apc, PVOID context, PIO_STATUS_BLOCK io, PVOID buffer, ULONG length,
                              PLARGE_INTEGER at, PULONG key)
{
    if (locked_elsewhere(file))
        return io->Status = FILE_LOCK_CONFLICT;
    return real("NtWriteFile")(file, event, apc, context, io, buffer, length, at, key);
}
