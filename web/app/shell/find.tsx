/** Searches streams by name and events by text while the user types. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { plain } from '../../plain.js'
import { useAccount } from '../data/account.js'
import type { Event as Found, Stream } from '../data/model.js'
import { Go } from '../parts/go.js'
import { Icon } from '../parts/icon.js'
import { dayAndTime } from '../parts/time.js'
import { hrefTo, visit, type Target } from '../route.js'

/** Maximum events and streams shown. */
const most = 8
/** Milliseconds after the last keystroke until the service is called. */
const patience = 150

interface Results {
  readonly text: string
  readonly streams: readonly Stream[]
  readonly events: readonly Found[]
}

export function Find({ onFinding }: { readonly onFinding: (isFinding: boolean) => void }) {
  const { client, tree, username } = useAccount()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [results, setResults] = useState<Results>()
  const box = useRef<HTMLFormElement>(null)
  const wanted = text.trim()

  const named = (name: string) =>
    (tree.value?.all ?? []).filter(each => matches(each.name, name)).slice(0, most)
  useEffect(() => {
    if (wanted === '') return setResults(undefined)
    const gone = new AbortController()
    const timer = setTimeout(() => {
      const streams = named(wanted)
      void client
        .callAlone<{ events: readonly Found[] }>('events.get', { text: wanted, limit: most }, gone.signal)
        // A text without words is refused; it has no results.
        .catch(() => ({ events: [] }))
        .then(({ events }) => {
          if (!gone.signal.aborted) setResults({ text: wanted, streams, events })
        })
    }, patience)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [wanted, client, tree])
  const show = (isShown: boolean): void => {
    setOpen(isShown)
    onFinding(isShown)
  }
  const close = (): void => {
    show(false)
    setText('')
  }
  return (
    <form
      class="find"
      role="search"
      ref={box}
      onSubmit={event => {
        event.preventDefault()
        if (wanted === '') return
        const [stream] = named(wanted)
        const isSaid = results?.text === wanted && results.events.length > 0
        // If no event matches but a stream does, opens the stream.
        const target: Target =
          stream && !isSaid ? { page: 'streams', id: stream.id } : { page: 'table', query: { text: wanted } }
        visit(hrefTo(username, target))
        close()
      }}
      onFocusCapture={() => show(true)}
      onBlurCapture={event => {
        if (!box.current?.contains(event.relatedTarget as Node | null)) show(false)
      }}
      onKeyDown={event => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault()
          step(box.current!, event.key === 'ArrowDown' ? 1 : -1)
        }
        if (event.key === 'Escape') {
          close()
          ;(document.activeElement as HTMLElement | null)?.blur()
        }
      }}
    >
      <label>
        <span class="unseen">{t('shell.find')}</span>
        <Icon name="search" />
        <input
          type="search"
          value={text}
          placeholder={t('shell.findHint')}
          autocomplete="off"
          onInput={event => setText(event.currentTarget.value)}
        />
      </label>
      <kbd aria-hidden="true">/</kbd>
      {isOpen && results && (
        <div class="results" onClick={close}>
          {results.streams.length === 0 && results.events.length === 0 && (
            <p class="hint" role="status">
              {t('shell.nothingFound', { text: results.text })}
            </p>
          )}
          {results.streams.length > 0 && <h2>{t('shell.streams')}</h2>}
          {results.streams.map(stream => (
            <Go key={stream.id} to={{ page: 'streams', id: stream.id }}>
              <Icon name="tree" />
              {plain(stream.name)}
            </Go>
          ))}
          {results.events.length > 0 && <h2>{t('shell.events')}</h2>}
          {results.events.map(event => (
            <Go key={event.id} to={{ page: 'events', id: event.id }}>
              <Icon name="note" />
              <span>
                {excerpt(event)} <small>{dayAndTime(event.time)}</small>
              </span>
            </Go>
          ))}
        </div>
      )}
    </form>
  )
}

/** Moves the focus between the search box and the results. */
function step(box: HTMLElement, by: number): void {
  const stops = [...box.querySelectorAll<HTMLElement>('input, .results a')]
  const index = stops.indexOf(document.activeElement as HTMLElement)
  stops[(index + by + stops.length) % stops.length]?.focus()
}

function matches(name: string, wanted: string): boolean {
  return wordsOf(name).includes(wordsOf(wanted))
}

/** Removes case and accents. */
function wordsOf(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/** Returns the beginning of an event's text. */
function excerpt({ content, description, attachments, type }: Found): string {
  const said = typeof content === 'string' ? content : (description ?? attachments?.[0]?.fileName ?? type)
  return plain(said).slice(0, 120)
}
