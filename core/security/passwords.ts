/** Hashes and verifies passwords, off the event loop. (docs/spec/authentication.md#passwords) */
import { availableParallelism } from 'node:os'
import { hash as argon2Hash, verify as argon2Verify, type Options } from '@node-rs/argon2'
import { fail } from '../errors.js'

/**
 * Hooks around a verification that may have to queue, so that the outcome of earlier verifications can cause it to be
 * refused.
 */
export interface VerificationHooks {
  /** Runs right before the work; throws to refuse it. */
  check(): void
  /** Runs right after the work, before the next in the queue. */
  onResult(isRight: boolean): void
}

export interface Passwords {
  /** Number of queued passwords. */
  readonly waiting: number
  /** Returns the argon2id hash of a password. */
  hash(password: string): Promise<string>
  /** Returns whether a password has this hash (argon2id, or bcrypt from imported accounts). */
  verify(hash: string, password: string, hooks?: VerificationHooks): Promise<boolean>
  /** Takes as long as {@link verify} and returns `false`: for users that do not exist. */
  verifyDummy(password: string, hooks?: VerificationHooks): Promise<false>
}

/** OWASP's second choice: 19 MiB, two passes. `algorithm` 2 is argon2id (the enum itself is ambient). */
const options: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Returns how many passwords are hashed concurrently on a machine with `cores` cores. The thread pool (of four) also
 * has to sync writes to disk, and the event loop needs a core: with both of two cores busy, other calls took 200 ms.
 */
export function getHashConcurrency(cores: number): number {
  return cores > 2 ? 2 : 1
}

/** Maximum number of queued passwords: clients would not wait for a longer queue. */
const maxWaiting = 1000

/** Hash of an unused password, with the parameters of all other hashes. It is constant, so that no start computes it. */
export const dummyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$hiXVlzRliOSRJUHspL6BmA$FLojjKS8SoUXLt3lJrOeJNek8ZNY4DhLA3U5LJK0TyY'

/**
 * Creates the functions that hash and verify passwords, of which `concurrency` run at a time, the others in
 * order. Beyond a number of waiting ones they reject with `api-unavailable`.
 */
export function createPasswords(concurrency = getHashConcurrency(availableParallelism())): Passwords {
  const semaphore = new Semaphore(concurrency)
  const verify = async (hash: string, password: string, hooks?: VerificationHooks): Promise<boolean> =>
    await semaphore.run(async () => {
      hooks?.check()
      const isRight = isBcrypt(hash) ? await verifyBcrypt(password, hash) : await argon2Verify(hash, password)
      hooks?.onResult(isRight)
      return isRight
    })
  return {
    get waiting() {
      return semaphore.waiting
    },
    hash: password => semaphore.run(() => argon2Hash(password, options)),
    verify,
    async verifyDummy(password, hooks) {
      await verify(dummyHash, password, hooks)
      return false
    }
  }
}

/** Returns whether a hash is of bcrypt: such hashes begin with `$2a$`, `$2b$`, `$2x$` or `$2y$`. */
function isBcrypt(hash: string): boolean {
  return /^\$2[abxy]\$/.test(hash)
}

/**
 * Verifies a bcrypt hash. Only imported accounts have such hashes, until the next sign-in: most processes never load
 * the library.
 */
async function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  const { verify } = await import('@node-rs/bcrypt')
  return await verify(password, hash)
}

/** Runs a limited number of tasks concurrently, the others in order of arrival. */
class Semaphore {
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(private readonly concurrency: number) {}

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Runs a task once a slot is free, and settles as the task does. Throws `api-unavailable` if {@link maxWaiting} wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.concurrency) this.#running++
    else {
      if (this.#waiting.length >= maxWaiting)
        fail('api-unavailable', 'Too many sign-ins at the moment. Try again later')
      // A task that ends passes its slot on, so that the number of running tasks stays the same.
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
