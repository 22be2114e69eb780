/** Chooses the streams of an event; can name a new one. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { Icon } from '../parts/icon.js'
import { FormRow } from '../parts/form-row.js'
import { StreamOptions } from '../parts/stream-options.js'

interface Props {
  readonly chosen: readonly string[]
  readonly onChosen: (ids: readonly string[]) => void
  /** Name of the stream to create if none is chosen. */
  readonly newName: string
}

/** Name of the control for the name of a new stream. */
export const newStreamField = 'streamName'

/**
 * Shows the choice. `onChosen` receives all ids, the first being the main stream. A new stream is only named
 * here; saving creates it.
 */
export function StreamFields({ chosen, onChosen, newName }: Props) {
  const { tree } = useAccount()
  const all = useStore(tree)
  const [isAdding, setAdding] = useState(false)
  const [first] = chosen
  const getName = (id: string): string => toPlainText(all?.find(id)?.name ?? id)
  return (
    <div class="streams-of">
      <FormRow name="streamIds" label={t('events.stream')}>
        {controlProps => (
          <select
            {...controlProps}
            onChange={event => {
              const { value } = event.currentTarget
              onChosen(value === '' ? [] : [value, ...chosen.slice(1).filter(id => id !== value)])
            }}
          >
            <StreamOptions chosen={first} />
            <option value="" selected={first === undefined}>
              {t('events.newStream')}
            </option>
          </select>
        )}
      </FormRow>
      {first === undefined && (
        <FormRow name={newStreamField} label={t('events.streamName')}>
          {controlProps => (
            <div class="line">
              <input
                {...controlProps}
                type="text"
                autocomplete="off"
                maxLength={200}
                defaultValue={newName}
              />
            </div>
          )}
        </FormRow>
      )}
      {chosen.length > 1 && (
        <ul class="also">
          {chosen.slice(1).map(id => (
            <li key={id}>
              {t('events.alsoIn', { stream: getName(id) })}
              <button
                type="button"
                class="round"
                aria-label={t('events.notIn', { stream: getName(id) })}
                onClick={() => onChosen(chosen.filter(each => each !== id))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {isAdding ? (
        <FormRow name="also" label={t('events.addStream')}>
          {controlProps => (
            <select
              {...controlProps}
              onChange={event => {
                const { value } = event.currentTarget
                setAdding(false)
                if (value !== '' && !chosen.includes(value)) onChosen([...chosen, value])
              }}
            >
              <option value="">{t('events.choose')}</option>
              <StreamOptions without={chosen} />
            </select>
          )}
        </FormRow>
      ) : (
        first !== undefined && (
          <button type="button" class="text also-add" onClick={() => setAdding(true)}>
            {t('events.addStream')}
          </button>
        )
      )}
    </div>
  )
}
