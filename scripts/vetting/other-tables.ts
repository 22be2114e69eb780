/** Validates the remaining tables of a foreign file: passwords, second factors, profiles, slices, audit log. */
import { Type } from 'typebox'
import { StoredNotice } from '../../core/accesses/notices.js'
import { StoredLetter } from '../../schemas/plans/letter.js'
import { isZone } from '../../schemas/zones.js'
import { Email, PasswordHash } from '../../schemas/account.js'
import { noticeKinds } from '../../core/outgoing/mail/message.js'
import { FollowedSlice } from '../../schemas/followed-slice.js'
import { closed, KeyValue } from '../../schemas/scalars.js'
import { compileShape, type Examiner } from './examiner.js'

const isHash = compileShape(PasswordHash)
const isProfile = compileShape(KeyValue)
const isSlice = compileShape(Type.Object(FollowedSlice.properties, closed))
const isAnything = compileShape(Type.Unknown())

/** Maximum number of a row: half of what is below the numbers of the service's own streams. */
const maxNumber = 2 ** 47

const isFactor = compileShape(
  Type.Object(
    {
      method: Type.Enum(['totp', 'sms']),
      content: KeyValue,
      secret: Type.Optional(Type.String({ pattern: '^[A-Z2-7]{16,200}=*$' })),
      recoveryCodes: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
      lastStep: Type.Optional(Type.Integer({ minimum: 0 }))
    },
    closed
  )
)

/** Returns true if a hash of another service is verified in about a second: sign-ins would delay other users. */
function isCheap(hash: unknown): boolean {
  const [, memory = 0, passes = 0, lanes = 0] = /m=(\d+),t=(\d+),p=(\d+)/.exec(String(hash)) ?? []
  const [, cost = 0] = /^\$2.\$(\d+)/.exec(String(hash)) ?? []
  return Number(memory) <= 262_144 && Number(passes) <= 10 && Number(lanes) <= 16 && Number(cost) <= 13
}

const counted = compileShape(Type.Object({ count: Type.Integer(), endsAt: Type.Number() }, closed))
const attempts = compileShape(
  Type.Object({ count: Type.Integer(), waitUntil: Type.Number(), forgottenAt: Type.Number() }, closed)
)
const sentCode = Type.Object(
  { digest: Type.String(), expires: Type.Number(), failures: Type.Integer() },
  closed
)
const notices = Type.Array(
  Type.Object({ to: Email, address: Type.String(), by: Type.Optional(Type.String()) }, closed),
  { maxItems: 100 }
)

const signInNotices = Type.Array(
  Type.Object(
    {
      kind: Type.Enum(noticeKinds),
      passkey: Type.Optional(Type.String({ maxLength: 80 })),
      to: Email,
      time: Type.Number(),
      agent: Type.String({ maxLength: 60 }),
      address: Type.String({ maxLength: 100 })
    },
    closed
  ),
  { maxItems: 100 }
)

const isNotice = compileShape(StoredNotice)

const hasLetterShape = compileShape(StoredLetter)

function isLetter(value: unknown): boolean {
  return hasLetterShape(value) && isZone((value as StoredLetter).zone)
}

/** Schemas of sign-in state by name: counters, codes, pending notices. */
const states = new Map([
  ['mfa-failures', attempts],
  ['mfa-messages', attempts],
  ['mfa-code', compileShape(sentCode)],
  ['letters-reset', counted],
  ['letters-confirmation', counted],
  ['letters-notice', counted],
  ['letters-change', counted],
  ['letters-sign-in', counted],
  ['letters-security', counted],
  ['devices', compileShape(Type.Array(Type.String({ maxLength: 22 }), { maxItems: 30 }))],
  ['notices', compileShape(signInNotices)],
  ['notices-off', compileShape(Type.Literal(true))],
  ['email-notices', compileShape(notices)],
  ['letter', isLetter]
])
/** The latest sign-in of a session, which is named after its access. */
const signIn = compileShape(
  Type.Object(
    {
      time: Type.Number(),
      address: Type.String({ maxLength: 100 }),
      userAgent: Type.Optional(Type.String({ maxLength: 300 })),
      provider: Type.Optional(Type.String({ maxLength: 32 }))
    },
    closed
  )
)

function getStateSchema(name: string): ((value: unknown) => boolean) | undefined {
  if (/^notice:[\w-]{1,64}$/.test(name)) return isNotice
  return /^session:[\w-]{1,100}$/.test(name) ? signIn : states.get(name)
}

const text = Type.Union([Type.String(), Type.Null()])
const seconds = Type.Union([Type.Number(), Type.Null()])
const scope = [
  Type.Array(Type.String({ maxLength: 200 }), { maxItems: 20 }),
  seconds,
  seconds,
  Type.Integer({ minimum: 0 }),
  Type.Integer({ minimum: 1, maximum: 3 })
]
/** The stored audit scope. */
const Scope = Type.Union([Type.Tuple(scope.slice(0, 4)), Type.Tuple(scope)])

/** The stored details of an audit record. The fourth and later details can be absent. */
const isDetail = compileShape(
  Type.Union(
    [3, 4, 5, 6, 7, 8, 9, 10].map(length =>
      Type.Tuple(
        [
          Type.String(),
          Type.String(),
          Type.Integer(),
          text,
          Type.Union([KeyValue, Type.Null()]),
          Type.Union([text, Scope]),
          text,
          text,
          text,
          Type.Boolean()
        ].slice(0, length)
      )
    )
  )
)

const isIdentity = compileShape(
  Type.Object({
    id: Type.String({ pattern: '^[a-z0-9]{1,50}$' }),
    issuer: Type.String({ maxLength: 1000, pattern: '^https?://' }),
    subject: Type.String({ minLength: 1, maxLength: 255 }),
    provider: Type.String({ maxLength: 32 }),
    email: Type.Union([Type.String({ maxLength: 300 }), Type.Null()])
  })
)

/**
 * Reports problems with the tables for which there is no separate module, and in archives more storage than
 * the quota allows.
 */
export function examineOtherTables(examiner: Examiner): void {
  const { file } = examiner
  for (const { created, hash } of file.rows('SELECT hash, created FROM password'))
    examiner.check(
      isHash(hash) && examiner.isPast(created) && (!examiner.options.targetConfig || isCheap(hash)),
      'password',
      undefined,
      'is not a digest of a password that the service could check'
    )
  examineProfiles(examiner)
  for (const { body, name } of file.rows('SELECT name, body FROM sign_in_state'))
    examiner.read('password', name, body, getStateSchema(String(name)) ?? (() => false))
  for (const { name, value } of file.rows('SELECT name, value FROM account_field'))
    examiner.read('profile', name, value, isAnything)
  for (const { field, value } of file.rows('SELECT field, value FROM confirmed_value'))
    if (value !== null) examiner.read('profile', field, value, isAnything)
  examineIdentities(examiner)
  examineNumbers(examiner)
  for (const { body, id } of file.rows('SELECT id, body FROM followed_slice'))
    examiner.read('followedSlice', id, body, isSlice)
  examineAudit(examiner)
  const quota = examiner.options.targetConfig?.quota.bytes || Infinity
  const used = Number(file.first('SELECT documents + attachments FROM storage_used'))
  examiner.check(
    used <= quota,
    'database',
    undefined,
    `stores ${used} bytes, which is more than quota.bytes allows`
  )
}

/** Reports problems with identities, with each of which a user can sign in. */
function examineIdentities(examiner: Examiner): void {
  for (const { created, email, id, issuer, provider, subject, used } of examiner.file.rows(
    'SELECT * FROM identity'
  ))
    examiner.check(
      isIdentity({ email, id, issuer, provider, subject }) &&
        examiner.isPast(created) &&
        (used === null || examiner.isPast(used)),
      'password',
      id,
      'is not an identity that the service could have linked'
    )
}

/** Validates row numbers, because new rows are numbered after the highest. */
function examineNumbers(examiner: Examiner): void {
  const rows = `SELECT number FROM highest_number UNION ALL SELECT max(number) FROM event
    UNION ALL SELECT max(number) FROM stream`
  for (const { number } of examiner.file.rows(rows))
    examiner.check(Number(number) <= maxNumber, 'database', undefined, 'has numbers with no room above them')
}

/** Reports profile sets that the service does not have, and second factors that it could not check. */
function examineProfiles(examiner: Examiner): void {
  for (const { body, name } of examiner.file.rows('SELECT name, body FROM profile')) {
    const isSet = /^(?:public|private|app:.+)$/s.test(String(name))
    examiner.check(isSet, 'profile', name, 'is not a set that the service has')
    const profile = examiner.read('profile', name, body, isProfile) as KeyValue | undefined
    if (profile && name === 'private' && Object.hasOwn(profile, 'mfa'))
      examiner.check(
        isFactor(profile['mfa']),
        'profile',
        'mfa',
        'is not a second factor that the service could check'
      )
  }
}

/** Reports words, details and times of the audit that the service would not have written. */
function examineAudit(examiner: Examiner): void {
  const { file } = examiner
  for (const { text: word } of file.rows('SELECT text FROM audit_word'))
    examiner.check(
      /^(?:access|action)-.{1,1100}$/s.test(String(word)),
      'audit',
      word,
      'is not a word of the audit'
    )
  for (const { at, detail } of file.rows('SELECT at, detail FROM audit_record')) {
    examiner.read('audit', at, detail, isDetail)
    examiner.check(examiner.isPast(Number(at) / 1e6), 'audit', at, 'was written in the future')
  }
}
