/** Hashing and checking of passwords, off the event loop. (docs/spec/authentication.md#passwords) */
import { availableParallelism } from 'node:os'
import { hash as argon2Hash, verify as argon2Verify, type Options } from '@node-rs/argon2'
import { verify as bcryptVerify } from '@node-rs/bcrypt'
import { fail } from '../errors.js'
import { Semaphore } from './semaphore.js'

/** Watches over attempts that wait for their turn: each sees how those before it ended. */
export interface Guard {
  /** Asked right before the work; may still refuse by throwing. */
  check(): void
  /** Told right after the work, before the next turn. */
  settled(isRight: boolean): void
}

export interface Passwords {
  /** Passwords that wait for their turn. */
  readonly waiting: number
  /** argon2id hash of a password. */
  hash(password: string): Promise<string>
  /** Whether a password has this hash (argon2id, or bcrypt that operators brought along). */
  verify(hash: string, password: string, guard?: Guard): Promise<boolean>
  /** Takes as long as {@link verify} and answers `false`: for users that do not exist. */
  verifyNothing(password: string, guard?: Guard): Promise<false>
}

/** OWASP's second choice: 19 MiB, two passes. `algorithm` 2 is argon2id (the enum itself is ambient). */
const options: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Passwords worked on at once where there are so many cores. The thread pool (of four) has to sync writes to disk as well;
 * and one core has to be left to the event loop: with two cores busy, everybody else's calls took a fifth of a second.
 */
export function passwordsAtOnce(cores: number): number {
  return cores > 2 ? 2 : 1
}

/** Passwords that may wait. With more than this, waiting would be longer than anybody is patient. */
const waitingAtMost = 1000

/** Hash of a password that nobody has, with the parameters of every other. */
const nobodys = argon2Hash('a password that nobody has', options)

export function createPasswords(atOnce = passwordsAtOnce(availableParallelism())): Passwords {
  const turns = new Semaphore(atOnce, waitingAtMost, () =>
    fail('api-unavailable', 'Too many sign-ins at the moment. Please try again later')
  )
  const verify = async (hash: string, password: string, guard?: Guard): Promise<boolean> =>
    await turns.run(async () => {
      guard?.check()
      const isRight = isBcrypt(hash) ? await bcryptVerify(password, hash) : await argon2Verify(hash, password)
      guard?.settled(isRight)
      return isRight
    })
  return {
    get waiting() {
      return turns.waiting
    },
    hash: password => turns.run(() => argon2Hash(password, options)),
    verify,
    async verifyNothing(password, guard) {
      await verify(await nobodys, password, guard)
      return false
    }
  }
}

/** bcrypt hashes name themselves `$2a$`, `$2b$`, `$2x$` or `$2y$`. */
function isBcrypt(hash: string): boolean {
  return /^\$2[abxy]\$/.test(hash)
}
