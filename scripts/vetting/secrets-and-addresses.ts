/** Validates the shared secrets and the email addresses of a foreign file. */
import { Type } from 'typebox'
import { Email } from '../../schemas/account.js'
import { closed } from '../../schemas/scalars.js'
import { toUniqueKey } from '../../storage/repositories/account-fields.js'
import { compileShape, type Examiner } from './examiner.js'

const Time = Type.Number({ minimum: 0, maximum: 1e12 })
const text = (maxLength: number) => Type.String({ maxLength })

const isSecret = compileShape(
  Type.Object(
    {
      title: text(1000),
      onConsumed: Type.Object({ message: text(2000), returnUrl: Type.Optional(text(4000)) }, closed),
      statusHistory: Type.Array(
        Type.Object(
          {
            status: Type.Enum(['pending', 'consumed', 'discarded']),
            info: Type.Optional(text(100)),
            time: Time
          },
          closed
        ),
        { minItems: 1, maxItems: 2 }
      ),
      keyHash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      signatureType: Type.Optional(Type.Enum(['secret', 'hmac-sha256'])),
      createdBy: text(4000),
      modifiedBy: text(4000)
    },
    closed
  )
)
const isRow = compileShape(
  Type.Object({
    id: Type.String({ pattern: '^[a-z0-9-]{24,25}$' }),
    access: Type.String({ minLength: 1, maxLength: 1024 }),
    created: Time,
    modified: Time,
    expires: Time,
    isPending: Type.Enum([0, 1])
  })
)
const isValue = compileShape(
  Type.Union([
    Type.Object({ sealed: Type.String() }, closed),
    Type.Object(
      { value: Type.Object({ secret: Type.Unknown(), signature: Type.Optional(Type.String()) }, closed) },
      closed
    )
  ])
)
const isAddress = compileShape(
  Type.Object({
    address: Email,
    added: Time,
    verified: Type.Union([Time, Type.Null()]),
    method: Type.Union([Type.Enum(['email-link', 'operator', 'registration', 'legacy']), Type.Null()]),
    sent: Type.Union([Time, Type.Null()]),
    isDue: Type.Enum([0, 1])
  })
)

/**
 * Reports problems with shared secrets, of which only pending ones have a value, and with email addresses.
 */
export function examineSecretsAndAddresses(examiner: Examiner): void {
  const { file } = examiner
  for (const { body, ...row } of file.rows('SELECT * FROM shared_secret')) {
    examiner.check(isRow(row), 'sharedSecret', row['id'], 'is not indexed as the service does it')
    const secret = examiner.read('sharedSecret', row['id'], body, isSecret)
    if (!secret) continue
    const { statusHistory } = secret as { statusHistory: { status: string }[] }
    const isPending = statusHistory.at(-1)!.status === 'pending'
    examiner.check(
      isPending === (row['isPending'] === 1),
      'sharedSecret',
      row['id'],
      'is indexed under a status that differs from its content'
    )
  }
  for (const { secret, value } of file.rows('SELECT secret, value FROM shared_secret_value'))
    examiner.read('sharedSecret', secret, value, isValue)
  const unmatched = file.first(
    `SELECT id FROM shared_secret WHERE isPending <> (number IN (SELECT secret FROM shared_secret_value))
      UNION ALL SELECT secret FROM shared_secret_value WHERE secret NOT IN (SELECT number FROM shared_secret)`
  )
  examiner.check(
    unmatched === undefined,
    'sharedSecret',
    unmatched,
    'has a value although it is not pending, or the reverse'
  )
  for (const { key, ...row } of file.rows('SELECT * FROM email_address'))
    examiner.check(
      isAddress(row) && key === toUniqueKey('email', row['address']),
      'profile',
      key,
      'is not an email address as the service stores it'
    )
}
