/** Searches streams by name and events by text while the user types. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { foldText, toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { formatEvent } from '../data/event-types.js'
import type { Event as Found } from '../data/model.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { formatDateTime } from '../parts/format-time.js'
import { WhoseLinks } from './whose.js'
import { buildHref, navigate, type Target } from '../route.js'

/** Maximum events and streams shown. */
const maxResults = 8
/** Milliseconds after the last keystroke until the service is called. */
const debounceMs = 150

interface Results {
  readonly text: string
  readonly events: readonly Found[]
}

/** Renders the search box and its results. `onFinding` is called with true while results are shown. */
export function SearchBox({ onFinding }: { readonly onFinding: (isFinding: boolean) => void }) {
  const { client, tree: loading, username } = useAccount()
  // Streams may arrive after the user has typed.
  const tree = useStore(loading)
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [results, setResults] = useState<Results>()
  const box = useRef<HTMLFormElement>(null)
  const query = text.trim()

  const findStreams = (name: string) =>
    (tree?.all ?? []).filter(each => matches(each.name, name)).slice(0, maxResults)
  useEffect(() => {
    if (query === '') return setResults(undefined)
    const abort = new AbortController()
    const timer = setTimeout(() => {
      void client
        .callAlone<{ events: readonly Found[] }>(
          'events.get',
          { text: query, limit: maxResults },
          abort.signal
        )
        // A text without words is refused; it has no results.
        .catch(() => ({ events: [] }))
        .then(({ events }) => {
          if (!abort.signal.aborted) setResults({ text: query, events })
        })
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [query, client])
  const streams = results ? findStreams(results.text) : []
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
        if (query === '') return
        const [stream] = findStreams(query)
        const hasEvents = results?.text === query && results.events.length > 0
        // If no event matches but a stream does, opens the stream.
        const target: Target =
          stream && !hasEvents
            ? { page: 'streams', id: stream.id }
            : { page: 'table', query: { text: query } }
        navigate(buildHref(username, target))
        close()
      }}
      onFocusCapture={() => show(true)}
      onBlurCapture={event => {
        if (!box.current?.contains(event.relatedTarget as Node | null)) show(false)
      }}
      onKeyDown={event => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          event.preventDefault()
          moveFocus(box.current!, event.key === 'ArrowDown' ? 1 : -1)
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
          {streams.length === 0 && results.events.length === 0 && (
            <p class="hint" role="status">
              {t('shell.nothingFound', { text: results.text })}
            </p>
          )}
          {streams.length > 0 && <h2>{t('shell.streams')}</h2>}
          {streams.map(stream => (
            <AppLink key={stream.id} to={{ page: 'streams', id: stream.id }}>
              <Icon name="tree" />
              {toPlainText(stream.name)}
            </AppLink>
          ))}
          {results.events.length > 0 && <h2>{t('shell.events')}</h2>}
          {results.events.map(event => (
            <AppLink key={event.id} to={{ page: 'events', id: event.id }}>
              <Icon name="note" />
              <span>
                {formatFound(event)} <small>{formatDateTime(event.time)}</small>
              </span>
            </AppLink>
          ))}
          <WhoseLinks text={results.text} />
        </div>
      )}
    </form>
  )
}

/** Moves the focus between the search box and the results. */
function moveFocus(box: HTMLElement, by: number): void {
  const targets = [...box.querySelectorAll<HTMLElement>('input, .results a')]
  const index = targets.indexOf(document.activeElement as HTMLElement)
  targets[(index + by + targets.length) % targets.length]?.focus()
}

function matches(name: string, query: string): boolean {
  return foldText(name).includes(foldText(query))
}

/** Formats an event by its text, otherwise by its value: an event can be found by its description. */
function formatFound(event: Found): string {
  const { content, description } = event
  if (typeof content === 'string' || description === undefined) return formatEvent(event)
  return toPlainText(description).slice(0, 120)
}
