/**
 * A throttle shared by several threads: each sends its events to the others, as each serves only some of the users.
 * (docs/spec/limits.md#guessing)
 */
import { BoundedMap } from './bounded-map.js'
import type { Guess, Throttle } from './throttle.js'

/** An event counted by one thread. */
export type ThrottleEvent =
  | { readonly kind: 'failed' | 'succeeded'; readonly guess: Guess }
  | { readonly kind: 'forget'; readonly username: string }
  | {
      readonly kind: 'register' | 'unregister' | 'lookUp' | 'registerClient' | 'ask' | 'unknownToken'
      readonly ip: string
    }
  | { readonly kind: 'operator'; readonly ip: string; readonly isRight: boolean }

/** Maximum number of addresses stored from which accounts were registered in another thread. */
const maxAddresses = 10_000

/** Counts events, and reports them to the other threads. Attempts at shared secrets are counted here only. */
export class SharedThrottle implements Throttle {
  /** Functions that undo registrations reported by other threads, by address. */
  readonly #undoByAddress = new BoundedMap<string, (() => void)[]>(maxAddresses)

  constructor(
    private readonly own: Throttle,
    private readonly broadcast: (note: ThrottleEvent) => void
  ) {}

  check(guess: Guess): void {
    this.own.check(guess)
  }

  failed(guess: Guess): void {
    this.broadcast({ kind: 'failed', guess })
    this.own.failed(guess)
  }

  succeeded(guess: Guess): void {
    this.broadcast({ kind: 'succeeded', guess })
    this.own.succeeded(guess)
  }

  forget(username: string): void {
    this.broadcast({ kind: 'forget', username })
    this.own.forget(username)
  }

  register(ip: string): () => void {
    const undo = this.own.register(ip)
    this.broadcast({ kind: 'register', ip })
    return () => {
      this.broadcast({ kind: 'unregister', ip })
      undo()
    }
  }

  lookUp(ip: string): void {
    this.own.lookUp(ip)
    this.broadcast({ kind: 'lookUp', ip })
  }

  registerClient(ip: string): void {
    this.own.registerClient(ip)
    this.broadcast({ kind: 'registerClient', ip })
  }

  ask(ip: string): void {
    this.own.ask(ip)
    this.broadcast({ kind: 'ask', ip })
  }

  unknownToken(ip: string): void {
    this.own.unknownToken(ip)
    this.broadcast({ kind: 'unknownToken', ip })
  }

  retrieveSecret(username: string, ip: string): void {
    this.own.retrieveSecret(username, ip)
  }

  operator(ip: string, isRight: boolean): void {
    this.own.operator(ip, isRight)
    this.broadcast({ kind: 'operator', ip, isRight })
  }

  /** Counts an event of another thread. */
  receive(note: ThrottleEvent): void {
    try {
      this.#count(note)
    } catch {
      // The client already has to wait: only the thread that serves it refuses.
    }
  }

  /** Counts an event that another thread has reported. */
  #count(note: ThrottleEvent): void {
    switch (note.kind) {
      case 'failed':
      case 'succeeded':
        return this.own[note.kind](note.guess)
      case 'forget':
        return this.own.forget(note.username)
      case 'register': {
        const undos = this.#undoByAddress.get(note.ip) ?? []
        this.#undoByAddress.set(note.ip, [...undos.slice(-100), this.own.register(note.ip)])
        return
      }
      case 'unregister': {
        const undos = this.#undoByAddress.get(note.ip)
        undos?.pop()?.()
        if (undos?.length === 0) this.#undoByAddress.delete(note.ip)
        return
      }
      case 'operator':
        return this.own.operator(note.ip, note.isRight)
      default:
        return this.own[note.kind](note.ip)
    }
  }
}
