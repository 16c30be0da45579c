//! The kinds of findings in archives, keys and signatures (FORMAT.md).

use refit_base::lint::codes;

codes! {
    /// The kinds of findings in archives.
    pub(super) CODES:
    PBO_START_NUMBERS "pbo-start-numbers" Unusual [] "the numbers of the start entry are not zero"
        "The games ignore them. Some packers write junk there to make tools give up. refit keeps them."
        "As far as is known, valid for the games; other tools object."
    PBO_END_NUMBERS "pbo-end-numbers" Unusual [] "the numbers of the end entry are not zero"
        "The games ignore them. Resistance tools write Cprs there; some packers write junk to make tools give up. \
        refit keeps them."
        "As far as is known, valid for the games; other tools object."
    PBO_FIRST_NAMELESS "pbo-first-nameless" Differs [] "the first entry has no name and is not a start entry"
        "refit reads an archive without files, and everything after the entry as its trailer. Some readers skip such \
        an entry and read on."
        "Readers disagree about it."
    PBO_NAMED_VERS "pbo-named-vers" Differs [] "a named file has the packing method of the start entry"
        "refit treats it as an ordinary file. Some readers expect a property list after it and stop."
        "Readers disagree about it."
    PBO_UNKNOWN_METHOD "pbo-unknown-method" Differs [] "an unknown packing method"
        "The file is neither stored nor packed: it is encrypted, or the method is a trick against tools. refit keeps \
        the payload unchanged."
        "The games know only stored and packed files."
    PBO_ORIGINAL_SIZE "pbo-original-size" Unusual [] "a stored file's original size is neither zero nor its size"
        "The games ignore it. Some readers take such a file as packed. refit keeps the number."
        "As far as is known, valid for the games; other tools object."
    PBO_RESERVED "pbo-reserved" Unusual [] "the reserved number is not zero"
        "No file of a game has one. Some readers take it as an offset. refit keeps it."
        "As far as is known, valid for the games; other tools object."
    PBO_OPAQUE "pbo-opaque" Differs [] "a file marked as packed does not unpack"
        "The payload is truncated, or the mark is a trick against tools. refit keeps the payload unchanged."
        "The games unpack every file marked as packed."
    PBO_CHECK_VALUE "pbo-check-value" Refuses [] "a packed file has a wrong checksum"
        "The sum of the unpacked bytes differs from the stored one. The game may refuse the file. refit keeps the \
        checksum until the file is edited."
        "The sum follows each packed file, and the games check it."
    PBO_UNDEFINED_POINTER "pbo-undefined-pointer" Differs [] "a packed file copies from before its start"
        "Bytes more than 4078 before the start have no defined value. refit takes them as blanks."
        "Readers disagree about it."
    PBO_ZERO_DISTANCE "pbo-zero-distance" Differs [] "a packed file copies from a distance of zero"
        "Readers disagree about its meaning: 4096 bytes back, zeros, or an endless loop. refit takes it as 4096 bytes \
        back."
        "Readers disagree about it."
    PBO_CUT_POINTER "pbo-cut-pointer" Unusual [] "the last copy of a packed file runs past its end"
        "The engine may report an overflow. Other readers cut the copy, and so does refit."
        "As far as is known, valid for the games; other tools object."
    PBO_SPARE_BITS "pbo-spare-bits" Unusual [] "a packed file sets unused flag bits"
        "They mean nothing, but one reader refuses them."
        "As far as is known, valid for the games; other tools object."
    PBO_BEHIND_CHECK "pbo-behind-check" Unusual [] "bytes after the checksum of a packed file"
        "They mean nothing. refit keeps them until the file is edited."
        "As far as is known, valid for the games; other tools object."
    PBO_PACKED "pbo-packed" Differs [] "packed files in an archive whose game may not read them"
        "The end of the archive is that of Operation Flashpoint: Elite, or that of ArmA and later games. Elite and the \
        first ArmA cannot read packed files. Arma 3 reads them in most places, but does not run a packed script with \
        `execVM`. Store the files: remove `packed` from their entries in the manifest, or pack the folder without \
        `--compress`."
        "The description of the format by the community of Bohemia's games says it of Elite and ArmA; of Arma 3, the \
        author of PBO Manager 3 (issue 26 of winseros/pboman3)."
    PBO_EQUAL_SIZES "pbo-equal-sizes" Unusual [] "a packed file is as large as its content"
        "It is packed all the same. Readers that compare the sizes take it as stored."
        "As far as is known, valid for the games; other tools object."
    PBO_DUPLICATE_NAME "pbo-duplicate-name" Ignores [] "two files share a name"
        "Which one the game uses is not known. Obfuscated archives have such names."
        "The games look a file up by name and take one."
    PBO_FOLDED_NAME "pbo-folded-name" Ignores [] "names that differ only in case"
        "The games ignore case when they look names up, so they never find one of the files."
        "The games ignore case when they look names up."
    PBO_FILE_AND_FOLDER "pbo-file-and-folder" Differs [] "a file and a folder share a name"
        "No disk can hold both. The tree uses another name for one of them."
        "No disk can hold both."
    PBO_SLASH "pbo-slash" Unusual [] "names with / as the separator"
        "The games expect \\; a few tools write /. The games may not find files below such folders."
        "As far as is known, valid for the games; other tools object."
    PBO_EMPTY_COMPONENT "pbo-empty-component" Ignores [] "a name with an empty part"
        "It begins or ends with a separator, or has two in a row. The games do not find such a file."
        "The games look names up with single separators."
    PBO_UNSAFE_PATH "pbo-unsafe-path" Ignores [] "a name that leads out of its folder"
        "The name contains .., a drive or a share, so careless unpacking would write somewhere else. No honest tool \
        writes it. refit keeps the file inside the tree."
        "The games never ask for such a path."
    PBO_WINDOWS_NAME "pbo-windows-name" Differs [] "a name that Windows does not allow"
        "Windows refuses its characters, ending, device name or length. Obfuscated archives have such names. The tree \
        uses another one."
        "Windows refuses such a name."
    PBO_NAME_BYTES "pbo-name-bytes" Unusual [] "a name that is not plain ASCII"
        "Names have no declared encoding: what a game finds depends on the code page of the system."
        "As far as is known, valid for the games; other tools object."
    PBO_OBFUSCATED "pbo-obfuscated" Differs [] "the archive looks obfuscated"
        "Many names are not printable, or files contain nothing but one #include of such a name. refit keeps \
        everything."
        "Made by protection tools; the games read it, other tools do not."
    PBO_UNSORTED "pbo-unsorted" Unusual [] "the files are not sorted by name"
        "Signature tools sort the files; the hashes of unsorted archives differ between tools."
        "As far as is known, valid for the games; other tools object."
    PBO_HASH "pbo-hash" Refuses [] "the archive's SHA-1 is wrong"
        "The archive is damaged or was edited, and its signatures cannot be verified. refit keeps the hash until the \
        archive is edited."
        "Servers that check signatures compare this hash."
    PBO_TRAILER "pbo-trailer" Unusual [] "a trailer of unusual length"
        "Archives end with no trailer, with 5 bytes (Elite), or with 21 (ArmA and later). refit keeps the bytes."
        "As far as is known, valid for the games; other tools object."
    PBO_PROPERTY_REPEATED "pbo-property-repeated" Unusual [] "a duplicate property"
        "Which value counts is not known."
        "As far as is known, valid for the games; other tools object."
    PBO_PREFIX_PLACE "pbo-prefix-place" Unusual [] "the prefix is not the first property"
        "The games find it; a few tools do not."
        "As far as is known, valid for the games; other tools object."
    PBO_PREFIX_SEPARATORS "pbo-prefix-separators" Ignores [] "the prefix begins or ends with a separator, or contains \
        /"
        "Tools trim it in different ways, and the games may not find the files."
        "The games join prefix and name with one separator."
    PBO_LARGE "pbo-large" Ignores [] "an archive larger than 2 GiB"
        "Readers with 31-bit offsets, including games, cannot address all of it."
        "Readers of the games' time use 31-bit offsets."
    PBO_CONTENT "pbo-content" Ignores [] "a file whose bytes are not what its name says"
        "A picture or a text under the name of a texture, a model, a sound or a binary config: the game cannot use it. \
        `refit put` and `refit add` convert pictures and texts; `refit repack FILE --format paa` or `rap` makes the \
        file."
        "The games read these files by their signatures. None of 290 known archives has one."
    PBO_UNITS "pbo-units" Ignores [] "an addon lists a class that it does not have"
        "A name in `units[]` or `weapons[]` of `CfgPatches` is no class of the archive, although its configs define \
        others of this kind. Zeus and the arsenal do not offer it, unless another addon has it."
        "Documented by Bohemia: the lists say which classes belong to an addon. None of 180 addons at hand has such a \
        name."
    PBO_FUNCTION "pbo-function" Ignores [] "a function whose file the addon does not have"
        "`CfgFunctions` gives the function a file below the prefix of the archive, and the archive has no such file. \
        The game reports that the script was not found, and the function does nothing."
        "Documented by Bohemia: a function is `file` of its class, or `fn_NAME.sqf` in `file` of its category. One of \
        180 addons at hand has such a function, and its file is under another name."
    PBO_PREFIX "pbo-prefix" Ignores [] "configs name the archive's files with another prefix"
        "Three or more files that the configs name are in the archive, but below another prefix, and none below its \
        own. The game finds none of them: correct `$PBOPREFIX$` or the paths."
        "Follows from how the games find files: the prefix of an addon, then the name within it. None of 180 addons at \
        hand has this finding."
    PBO_TEX_HEADERS "pbo-tex-headers" Differs [] "texHeaders.bin does not match a texture"
        "The game takes the sizes and positions of a texture's levels from texHeaders.bin, and draws whatever is at \
        those positions. `refit repack` and `refit put` update the file with each texture. Without the file the game \
        opens the textures themselves."
        "8,267 textures in 140 known files match; the list exists so that the game need not open them."
}

codes! {
    /// The kinds of findings in keys and signatures.
    pub(super) KEY_CODES:
    PBO_KEY "pbo-key" Refuses [] "an unusual key or signature"
        "The games may refuse it. Never give a private key away."
        "The games verify keys and signatures by their structure."
}
