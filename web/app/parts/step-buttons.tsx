/** Buttons for earlier and later times. */
import type { ComponentChildren } from 'preact'
import { t } from '../../language.js'
import { Icon } from './icon.js'

interface Props {
  /** Undefined if there is nothing earlier or later. */
  readonly onEarlier: (() => void) | undefined
  readonly onLater: (() => void) | undefined
  /** Between the two. */
  readonly children: ComponentChildren
  /** After them. */
  readonly more?: ComponentChildren
}

/**
 * Shows both buttons with `children` between and `more` after them. A button without a function is disabled.
 */
export function StepButtons({ onEarlier, onLater, children, more }: Props) {
  return (
    <div class="step">
      <StepButton icon="left" label={t('shell.earlier')} onStep={onEarlier} />
      {children}
      <StepButton icon="right" label={t('shell.later')} onStep={onLater} />
      {more}
    </div>
  )
}

interface StepProps {
  readonly icon: 'left' | 'right'
  readonly label: string
  /** Undefined at the end. */
  readonly onStep: (() => void) | undefined
}

/** One of the two buttons. */
export function StepButton({ icon, label, onStep }: StepProps) {
  return (
    <button type="button" class="square" aria-label={label} disabled={!onStep} onClick={onStep}>
      <Icon name={icon} />
    </button>
  )
}
