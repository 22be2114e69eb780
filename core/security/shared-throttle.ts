/** A throttle of several threads: each tells the others what it counts, so that nothing is gained by going from user to user. (docs/spec/limits.md#guessing) */
import { BoundedMap } from './bounded-map.js'
import type { Guess, Throttle } from './throttle.js'

/** What one thread has counted. */
export type ThrottleNote =
  | { readonly kind: 'failed' | 'succeeded'; readonly guess: Guess }
  | { readonly kind: 'forget'; readonly username: string }
  | { readonly kind: 'register' | 'unregister' | 'lookUp' | 'ask' | 'unknownToken'; readonly ip: string }
  | { readonly kind: 'operator'; readonly ip: string; readonly isRight: boolean }

/** Addresses remembered from which somebody has registered in another thread. */
const remembered = 10_000

export class SharedThrottle implements Throttle {
  /** How to take back registrations that other threads have told of, by address. */
  readonly #told = new BoundedMap<string, (() => void)[]>(remembered)

  constructor(
    private readonly own: Throttle,
    private readonly tell: (note: ThrottleNote) => void
  ) {}

  check(guess: Guess): void {
    this.own.check(guess)
  }

  failed(guess: Guess): void {
    this.tell({ kind: 'failed', guess })
    this.own.failed(guess)
  }

  succeeded(guess: Guess): void {
    this.tell({ kind: 'succeeded', guess })
    this.own.succeeded(guess)
  }

  forget(username: string): void {
    this.tell({ kind: 'forget', username })
    this.own.forget(username)
  }

  register(ip: string): () => void {
    const takeBack = this.own.register(ip)
    this.tell({ kind: 'register', ip })
    return () => {
      this.tell({ kind: 'unregister', ip })
      takeBack()
    }
  }

  lookUp(ip: string): void {
    this.own.lookUp(ip)
    this.tell({ kind: 'lookUp', ip })
  }

  ask(ip: string): void {
    this.own.ask(ip)
    this.tell({ kind: 'ask', ip })
  }

  unknownToken(ip: string): void {
    this.own.unknownToken(ip)
    this.tell({ kind: 'unknownToken', ip })
  }

  operator(ip: string, isRight: boolean): void {
    this.own.operator(ip, isRight)
    this.tell({ kind: 'operator', ip, isRight })
  }

  /** Counts what another thread has counted. */
  hear(note: ThrottleNote): void {
    try {
      this.#count(note)
    } catch {
      // Somebody who has to wait already: the refusal was the other thread's to give.
    }
  }

  #count(note: ThrottleNote): void {
    switch (note.kind) {
      case 'failed':
      case 'succeeded':
        return this.own[note.kind](note.guess)
      case 'forget':
        return this.own.forget(note.username)
      case 'register': {
        const told = this.#told.get(note.ip) ?? []
        this.#told.set(note.ip, [...told.slice(-100), this.own.register(note.ip)])
        return
      }
      case 'unregister': {
        const told = this.#told.get(note.ip)
        told?.pop()?.()
        if (told?.length === 0) this.#told.delete(note.ip)
        return
      }
      case 'operator':
        return this.own.operator(note.ip, note.isRight)
      default:
        return this.own[note.kind](note.ip)
    }
  }
}
