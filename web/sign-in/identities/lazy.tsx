/** Views about identities are loaded when they are needed, with their texts: most people have none. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Session } from '../../api.js'
import { Alert } from '../../parts/form.js'
import { explain, type Message } from '../../problem.js'
import type { ReturnedProps } from './returned.js'

export const ReturnedView = loaded<ReturnedProps>(async () => (await import('./returned.js')).ReturnedView)

export const Linked = loaded<{ readonly session: Session }>(async () => (await import('./linked.js')).Linked)

function loaded<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Loaded(props: P) {
    const [View, setView] = useState<ComponentType<P>>()
    const [problem, setProblem] = useState<Message>()
    useEffect(() => {
      Promise.all([
        load(),
        import('./texts.js').then(async ({ addIdentityTexts }) => await addIdentityTexts())
      ]).then(
        ([found]) => setView(() => found),
        (error: unknown) => setProblem(explain(error).message)
      )
    }, [])
    if (problem !== undefined) return <Alert>{problem}</Alert>
    return View ? <View {...props} /> : null
  }
}
