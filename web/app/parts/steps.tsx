/** Buttons that lead to an earlier and to a later time. */
import type { ComponentChildren } from 'preact'
import { t } from '../../language.js'
import { Icon } from './icon.js'

interface Props {
  /** Undefined if there is nothing earlier, or nothing later. */
  readonly onEarlier: (() => void) | undefined
  readonly onLater: (() => void) | undefined
  /** Between the two. */
  readonly children: ComponentChildren
  /** After them. */
  readonly more?: ComponentChildren
}

export function Steps({ onEarlier, onLater, children, more }: Props) {
  return (
    <div class="step">
      <button
        type="button"
        class="square"
        aria-label={t('shell.earlier')}
        disabled={!onEarlier}
        onClick={onEarlier}
      >
        <Icon name="left" />
      </button>
      {children}
      <button
        type="button"
        class="square"
        aria-label={t('shell.later')}
        disabled={!onLater}
        onClick={onLater}
      >
        <Icon name="right" />
      </button>
      {more}
    </div>
  )
}
