/** The calls of operators, with the session of the page or with the key. (docs/spec/administration.md) */
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { call } from '../api.js'
import { explain, type Message } from '../problem.js'

/** A client for operator calls. */
export interface Desk {
  /** The operator's username; undefined with the admin key. */
  readonly username: string | undefined
  /** Calls a route below `/system/`. Rejects with a `Refusal`. */
  call<T>(verb: string, path: string, body?: object): Promise<T>
}

/** Creates a client. The key is kept in memory only, until the page is closed. */
export function deskOf(username: string | undefined, key?: string): Desk {
  return {
    username,
    call: async (verb, path, body) =>
      await call(verb, `system/${path}`, {
        ...(key === undefined ? {} : { token: key }),
        ...(body === undefined ? {} : { body })
      })
  }
}

export const DeskContext = createContext<Desk>(deskOf(undefined))

export function useDesk(): Desk {
  return useContext(DeskContext)
}

/** A value being read, or the error. */
export interface Reading<T> {
  readonly value: T | undefined
  readonly problem: Message | undefined
  /** Reloads the value; the current one stays until then. */
  readonly again: () => void
}

/** Reads a route below `/system/`; reloads it when the path changes. */
export function useReading<T>(path: string): Reading<T> {
  const client = useDesk()
  const [value, setValue] = useState<T>()
  const [problem, setProblem] = useState<Message>()
  const [version, setVersion] = useState(0)
  useEffect(() => {
    let isStale = false
    client.call<T>('GET', path).then(
      result => {
        if (isStale) return
        setValue(result)
        setProblem(undefined)
      },
      (error: unknown) => {
        if (!isStale) setProblem(explain(error).message)
      }
    )
    return () => {
      isStale = true
    }
  }, [client, path, version])
  return { value, problem, again: useCallback(() => setVersion(each => each + 1), []) }
}

/** Returns the path of a user's route. */
export function userPath(username: string, rest = ''): string {
  return `users/${encodeURIComponent(username)}${rest}`
}
