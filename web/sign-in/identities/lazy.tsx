/** The view after a redirect from a provider, loaded with its texts when needed, which is rare. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Alert } from '../../parts/form.js'
import { explain, type Message } from '../../problem.js'
import type { ReturnedProps } from './returned.js'

export function ReturnedView(props: ReturnedProps) {
  const [View, setView] = useState<ComponentType<ReturnedProps>>()
  const [problem, setProblem] = useState<Message>()
  useEffect(() => {
    Promise.all([
      import('./returned.js'),
      import('./texts.js').then(async ({ addIdentityTexts }) => await addIdentityTexts())
    ]).then(
      ([module]) => setView(() => module.ReturnedView),
      (error: unknown) => setProblem(explain(error).message)
    )
  }, [])
  if (problem !== undefined) return <Alert>{problem}</Alert>
  return View ? <View {...props} /> : null
}
