/** Observable values that components subscribe to. */
import { useEffect, useState } from 'preact/hooks'

export interface Store<T> {
  readonly value: T
  /** Sets the value, and calls listeners at once if it differs. */
  set(value: T): void
  /** Calls `listener` after each change. Returns a function that unsubscribes. */
  follow(listener: (value: T) => void): () => void
}

/** Creates a store with an initial value. Setting the same value does not call listeners. */
export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<(value: T) => void>()
  let current = initial
  return {
    get value() {
      return current
    },
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const listener of listeners) listener(value)
    },
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

/** Returns the value of a store, and re-renders when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.value)
  useEffect(() => {
    setValue(store.value)
    return store.follow(setValue)
  }, [store])
  return value
}
