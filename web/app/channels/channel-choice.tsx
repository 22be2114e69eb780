/** A choice of channels, for whatever sends notifications, with a link to add one. */
import { useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { addModuleTexts } from '../texts.js'
import { getIcon, getTypeName, useChannels } from './channels.js'

interface Props {
  /** Ids of the chosen channels. */
  readonly value: readonly string[]
  readonly onChange: (ids: string[]) => void
}

/**
 * Shows a checkbox for each active channel, and a link to the page that adds one. Renders nothing until they
 * are read.
 */
export function ChannelChoice({ value, onChange }: Props) {
  const { read, problem } = useChannels()
  const [hasTexts, setHasTexts] = useState(false)
  useEffect(() => void addModuleTexts('channels').then(() => setHasTexts(true)), [])
  if (problem !== undefined && !read) return <ReadProblem message={problem} />
  if (!read || !hasTexts) return null
  const active = read.channels.filter(({ state }) => state === 'active')
  return (
    <fieldset class="channel-choice">
      <legend>{t('channels.choose')}</legend>
      {active.map(({ id, name, type }) => (
        <label key={id} class="tick">
          <input
            type="checkbox"
            checked={value.includes(id)}
            onChange={event =>
              onChange(event.currentTarget.checked ? [...value, id] : value.filter(chosen => chosen !== id))
            }
          />
          <Icon name={getIcon(type)} />
          <span>{toPlainText(name) || getTypeName(type)}</span>
        </label>
      ))}
      {active.length === 0 && <p class="hint">{t('channels.none')}</p>}
      <AppLink to={{ page: 'channels' }}>{t('channels.addOne')}</AppLink>
    </fieldset>
  )
}
