/** Views that are loaded with their texts when first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { explainError, type Message } from '../explain-error.js'
import { Alert } from './form.js'

/** Returns a component that renders the one with which `load` resolves: nothing until then, and an error message if it fails. */
export function lazyView<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Loaded(props: P) {
    const [View, setView] = useState<ComponentType<P>>()
    const [problem, setProblem] = useState<Message>()
    useEffect(() => {
      load().then(
        found => setView(() => found),
        (error: unknown) => setProblem(explainError(error).message)
      )
    }, [])
    if (problem !== undefined) return <Alert>{problem}</Alert>
    return View ? <View {...props} /> : null
  }
}
