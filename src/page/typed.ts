// What a person types is not lost when the element with the fields is filled again.

type Field = HTMLInputElement | HTMLTextAreaElement;

/** How long fields that are loaded later are waited for. */
const PATIENCE = 5000;

/** The fields of the forms in an element by their names; of equal names also by their order. */
function fieldsOf(host: HTMLElement): Map<string, Field> {
  const all = new Map<string, Field>();
  for (const field of host.querySelectorAll<Field>(".form input[aria-label], .form textarea[aria-label]")) {
    if (field instanceof HTMLInputElement && !/^(text|number|search)$/.test(field.type)) continue;
    let name = field.getAttribute("aria-label") ?? "";
    while (all.has(name)) name += "+";
    all.set(name, field);
  }
  return all;
}

/** True for a field with something typed that is no edit yet: an edit makes it the field's default. */
export const isTyped = (field: Element | null): boolean =>
  (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) &&
  !/checkbox|radio|file|color|range/.test(field.type) &&
  field.value !== field.defaultValue;

/** True while the cursor is in a form of an element in which something is typed that is no edit yet. */
export function isTypedIn(host: HTMLElement): boolean {
  const focused = document.activeElement;
  const isField = focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement;
  if (!isField || !host.contains(focused)) return false;
  // One value is typed, and the cursor is in the next field.
  return isTyped(focused) || (!!focused.closest(".form") && [...fieldsOf(host).values()].some(isTyped));
}

/**
 * Notes what is typed into the forms of an element, and where the cursor is. The result puts it into the fields of the
 * same names, once they are there again: call it after the element was filled again.
 */
export function keepTyped(host: HTMLElement): () => void {
  const focused = document.activeElement;
  const kept = new Map<string, { value: string; was: string; cursor: [number, number] | null }>();
  for (const [name, field] of fieldsOf(host)) {
    if (!isTyped(field) && field !== focused) continue;
    const cursor: [number, number] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
    kept.set(name, { value: field.value, was: field.defaultValue, cursor: field === focused ? cursor : null });
  }
  return () => {
    if (!kept.size) return;
    const put = (): void => {
      for (const [name, field] of fieldsOf(host)) {
        const { value, was, cursor } = kept.get(name) ?? {};
        if (!kept.delete(name)) continue;
        if (value !== undefined && value !== was && field.value === field.defaultValue) {
          field.value = value;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }
        if (cursor && (!document.activeElement || document.activeElement === document.body)) {
          field.focus({ preventScroll: true });
          // Fields of numbers have no cursor that a script may set: what is typed next replaces the number.
          if (field.selectionStart === null) field.select();
          else field.setSelectionRange(...cursor);
        }
      }
      if (!kept.size) watch.disconnect();
    };
    const watch = new MutationObserver(put);
    watch.observe(host, { childList: true, subtree: true });
    window.setTimeout(() => watch.disconnect(), PATIENCE);
    put();
  };
}
