import { useEffect, useRef, useState } from 'preact/hooks';
import { goTo } from '../shell/route.ts';
import { type Found, searchAll, useSearchable } from './find-places.ts';

/** A dialog that finds places, airports and flights; `/` opens it in every view. */
export function Search({ onOpen }: { readonly onOpen: (open: () => void) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const searchable = useSearchable(isOpen);

  useEffect(() => {
    const open = () => {
      if (dialog.current?.open) return;
      setText('');
      setActive(0);
      setOpen(true);
      dialog.current?.showModal();
    };
    onOpen(open);
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const isTyping = target.matches(
        'input:not([type=range], [type=radio], [type=checkbox]), textarea, select',
      );
      if (event.key !== '/' || isTyping || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [onOpen]);

  const found = searchAll(searchable, text);
  const choose = (one: Found | undefined) => {
    if (one === undefined) return;
    dialog.current?.close();
    goTo('map', one.link());
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((k) => (found.length === 0 ? 0 : (k + step + found.length) % found.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[active]);
    }
  };

  return (
    <dialog ref={dialog} class="dialog search" aria-label="Search" onClose={() => setOpen(false)}>
      <input
        role="combobox"
        aria-label="Place, airport or flight"
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls="search-found"
        aria-activedescendant={found.length > 0 ? `search-${active}` : undefined}
        placeholder="Place, airport or flight"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <div id="search-found" class="options" role="listbox" aria-label="Found" hidden={found.length === 0}>
        {found.map((one, k) => (
          <div
            key={`${one.kind} ${one.name} ${one.detail}`}
            id={`search-${k}`}
            role="option"
            tabIndex={-1}
            aria-selected={k === active}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(one);
            }}
          >
            <b>{one.name}</b> <small>{one.detail}</small>
          </div>
        ))}
      </div>
      <p class="hint" role="status">
        {text.trim() !== '' && found.length === 0
          ? 'Nothing found. Flights are those of the newest hour of telemetry.'
          : 'Arrow keys choose, Enter goes there, Escape closes.'}
      </p>
    </dialog>
  );
}
