/** Views that are loaded when they are first shown, with their texts. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { explain, type Message } from '../problem.js'
import { Alert } from './form.js'

/** Returns a component that shows what `load` resolves with, nothing until then, and why it cannot be loaded. */
export function loaded<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Loaded(props: P) {
    const [View, setView] = useState<ComponentType<P>>()
    const [problem, setProblem] = useState<Message>()
    useEffect(() => {
      load().then(
        found => setView(() => found),
        (error: unknown) => setProblem(explain(error).message)
      )
    }, [])
    if (problem !== undefined) return <Alert>{problem}</Alert>
    return View ? <View {...props} /> : null
  }
}
