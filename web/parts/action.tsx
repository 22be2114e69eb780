/** A button that calls the service, and shows errors below itself. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../language.js'
import { explainError, type Message } from '../explain-error.js'
import { Alert } from './form.js'

interface Props {
  readonly onClick: () => Promise<void>
  /** Accessible label, if the text alone is ambiguous, e.g. in a list. */
  readonly label?: string
  readonly class?: string
  readonly children: ComponentChildren
}

/** Shows a button that runs something asynchronous: it is busy meanwhile, and shows the error if that fails. */
export function Action({ onClick, label, class: style = 'button', children }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Message>()
  const run = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      await onClick()
    } catch (error) {
      setProblem(explainError(error).message)
    }
    setBusy(false)
  }
  return (
    <>
      <button
        type="button"
        class={style}
        aria-disabled={isBusy}
        onClick={() => void run()}
        {...(label === undefined ? {} : { 'aria-label': label })}
      >
        {isBusy ? t('loading') : children}
      </button>
      {problem !== undefined && <Alert>{problem}</Alert>}
    </>
  )
}
