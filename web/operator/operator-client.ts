/** The calls of operators, with the session of the page or with the key. (docs/spec/administration.md) */
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useState } from 'preact/hooks'
import { callRoute } from '../api.js'
import { explainError, type Message } from '../explain-error.js'

/** A client for operator calls. */
export interface OperatorClient {
  /** The operator's username; undefined with the admin key. */
  readonly username: string | undefined
  /** Calls a route below `/system/`. Rejects with a `Refusal`. */
  call<T>(verb: string, path: string, body?: object): Promise<T>
}

/**
 * Creates a client: with the session of the page, or with a key, which is kept in memory only, until the page
 * is closed.
 */
export function createOperatorClient(username: string | undefined, key?: string): OperatorClient {
  return {
    username,
    call: async (verb, path, body) =>
      await callRoute(verb, `system/${path}`, {
        ...(key === undefined ? {} : { token: key }),
        ...(body === undefined ? {} : { body })
      })
  }
}

export const OperatorContext = createContext<OperatorClient>(createOperatorClient(undefined))

export function useOperatorClient(): OperatorClient {
  return useContext(OperatorContext)
}

/** A value being read, or the error. */
interface Resource<T> {
  readonly value: T | undefined
  readonly problem: Message | undefined
  /** Reloads the value; the current one stays until then. */
  readonly reload: () => void
}

/**
 * Reads a route below `/system/`, and again when the path changes or `reload` is called. Keeps the last value
 * if that fails, beside the problem.
 */
export function useResource<T>(path: string): Resource<T> {
  const client = useOperatorClient()
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
        if (!isStale) setProblem(explainError(error).message)
      }
    )
    return () => {
      isStale = true
    }
  }, [client, path, version])
  return { value, problem, reload: useCallback(() => setVersion(each => each + 1), []) }
}

/** Returns the path of a user's route. */
export function getUserPath(username: string, rest = ''): string {
  return `users/${encodeURIComponent(username)}${rest}`
}
