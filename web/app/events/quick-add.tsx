/** Dialog for adding an event: suggests what the user adds most, then shows the form. Other types are found by name. */
import './add.css'
import { useMemo, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import { getStreamColour } from '../data/stream-colours.js'
import {
  getTypeIcon,
  isGlucose,
  eventKinds,
  formatEvent,
  formatContent,
  getTypeName
} from '../data/event-types.js'
import type { Event, EventTypes } from '../data/model.js'
import { useStore } from '../data/store.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icon.js'
import { showToast } from '../parts/toast.js'
import { ReadProblem } from '../parts/read-problem.js'
import type { AddProps } from '../shell/adding.js'
import { EventForm } from './event-form.js'
import { trashEvent } from './save-event.js'
import { searchKinds, findSuggestion, listSuggestions, type Suggestion } from './suggestions.js'

/**
 * Shows the suggestions, or at once the form if `draft` has a type. Saving shows a toast that can undo it, and
 * closes the dialog.
 */
export default function QuickAdd({ draft, onClose }: AddProps) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  const { read: types, problem } = useReading(async () => await account.readEventTypes())
  const [chosen, setChosen] = useState<Suggestion | undefined>(() => {
    const { newStream, streamId, type } = draft
    if (type === undefined) return undefined
    if (newStream) return { key: type, type, name: newStream.name, newStream }
    return findSuggestion(type, facts, tree, streamId)
  })
  const suggestions = useMemo(
    () => listSuggestions(facts, tree, Date.now() / 1000, draft.streamId),
    [facts, tree, draft.streamId]
  )
  const onSaved = (events: readonly Event[]): void => {
    onClose()
    const what =
      events.length > 1 ? t('events.deleteFiles', { count: events.length }) : formatEvent(events[0]!)
    showToast(t('events.saved', { what: `${toPlainText(chosen!.name)}: ${what}` }), async () => {
      for (const { id } of events) await trashEvent(account, id)
    })
  }
  const streamId = chosen?.streamId ?? draft.streamId
  const path = streamId === undefined ? [] : (tree?.getPath(streamId) ?? [])
  const last =
    chosen?.latest === undefined || typeof chosen.latest !== 'number'
      ? undefined
      : formatContent(chosen.type, chosen.latest, { isGlucose: isGlucose(path) })
  return (
    <Dialog title={chosen ? toPlainText(chosen.name) : t('shell.add')} onClose={onClose}>
      <div class="quick-add">
        {problem !== undefined && <ReadProblem message={problem} />}
        {chosen && types && (
          <EventForm
            key={chosen.key}
            types={types}
            type={chosen.type}
            streamId={streamId}
            time={draft.time}
            newStream={chosen.newStream ?? { name: chosen.name }}
            last={last === undefined ? undefined : t('events.last', { value: last })}
            label={hasSingleValue(chosen) ? toPlainText(chosen.name) : undefined}
            onSaved={onSaved}
            others={
              <button type="button" class="button" onClick={() => setChosen(undefined)}>
                {t('events.other')}
              </button>
            }
          />
        )}
        {!chosen && (
          <ChooseSuggestion
            offered={suggestions}
            types={types ?? {}}
            streamId={draft.streamId}
            onChosen={setChosen}
          />
        )}
      </div>
    </Dialog>
  )
}

interface ChooseProps {
  readonly offered: readonly Suggestion[]
  readonly types: EventTypes
  readonly streamId: string | undefined
  readonly onChosen: (chosen: Suggestion) => void
}

/** Shows the suggestions, or what a search in all kinds finds. */
function ChooseSuggestion({ offered: suggestions, types, streamId, onChosen }: ChooseProps) {
  const { facts, tree } = useAccount()
  const [query, setQuery] = useState('')
  const [showsAll, setShowsAll] = useState(false)
  const isSearching = showsAll || query.trim() !== ''
  const results = isSearching ? searchKinds(query, types, facts.value, tree.value, streamId) : suggestions
  return (
    <>
      {isSearching && (
        <label class="seek">
          <span class="unseen">{t('events.other')}</span>
          <Icon name="search" />
          <input
            type="search"
            autocomplete="off"
            autofocus
            placeholder={t('events.otherHint')}
            value={query}
            ref={control => {
              if (control && query === '') control.focus()
            }}
            onInput={event => setQuery(event.currentTarget.value)}
          />
        </label>
      )}
      <ul class="offers">
        {results.map(each => (
          <li key={each.key}>
            <SuggestionButton suggestion={each} isSearchResult={isSearching} onChosen={onChosen} />
          </li>
        ))}
      </ul>
      {isSearching && results.length === 0 && (
        <p class="hint" role="status">
          {t('events.noMatch', { text: query })}
        </p>
      )}
      {!isSearching && (
        <button type="button" class="button else" onClick={() => setShowsAll(true)}>
          <Icon name="search" />
          {t('events.other')}
        </button>
      )}
    </>
  )
}

interface SuggestionProps {
  readonly suggestion: Suggestion
  /** Whether a search has found it, rather than that it is suggested by itself. */
  readonly isSearchResult: boolean
  readonly onChosen: (chosen: Suggestion) => void
}

/** Shows a suggestion with its stream's colour and its latest value or type. */
function SuggestionButton({ suggestion, isSearchResult, onChosen }: SuggestionProps) {
  const tree = useStore(useAccount().tree)
  const { name, streamId, type } = suggestion
  const path = streamId === undefined ? [] : (tree?.getPath(streamId) ?? [])
  const stream = path.at(-1)
  const small = getSmallText(suggestion, path, isSearchResult)
  return (
    <button
      type="button"
      class="offer"
      style={{
        '--c': stream
          ? getStreamColour(stream)
          : getStreamColour({ id: suggestion.newStream?.id ?? name, name })
      }}
      onClick={() => onChosen(suggestion)}
    >
      <span class="sign">
        <Icon name={getTypeIcon(type)} />
      </span>
      <span class="what">
        {toPlainText(name)}
        {small !== '' && <small>{small}</small>}
      </span>
    </button>
  )
}

/**
 * Returns the text below the name of a suggestion: the latest value, the detail of a search result of a rare type, or the
 * type if it is not the name. Empty if there is nothing to add. `path`: the stream's, from the root.
 */
function getSmallText(
  { detail, latest, name, type }: Suggestion,
  path: Parameters<typeof isGlucose>[0],
  isSearchResult: boolean
): string {
  if (latest !== undefined && !(isSearchResult && detail))
    return formatContent(type, latest, { isGlucose: isGlucose(path) })
  if (isSearchResult) return eventKinds.some(each => each.type === type) ? '' : (detail ?? '')
  return path.length > 0 && getTypeName(type) !== name ? getTypeName(type) : ''
}

/** Returns whether the content is a single value, which can be labelled with the name of the stream. */
function hasSingleValue({ type }: Suggestion): boolean {
  return !/^(?:blood-pressure|position|sleep|audiogram|clinical|message|music)\//.test(type)
}
