/** Fields of a registration: those of every account, and those that the operator adds. (docs/spec/registration.md#fields) */
import { IdentityRegistration, Registration } from '../../schemas/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { violationOf } from '../account/value-check.js'
import { ApiError } from '../errors.js'
import { accountStreams, type AccountField } from '../account/fields.js'
import { checker, refuseParams, type Violation } from '../validation/params.js'
import type { Services } from '../call/services.js'

const checkBuiltIn = checker(Registration)
const checkWithIdentity = checker(IdentityRegistration)

/** Throws `invalid-parameters-format` with all problems of the fields. */
export function checkRegistration(
  services: Services,
  fields: object
): asserts fields is Registration | IdentityRegistration {
  const violations = violationsOfBuiltIn(fields)
  const reported = new Set(violations.map(({ param }) => param))
  for (const field of enterable(services)) {
    const violation = reported.has(field.name) ? undefined : violationOfField(field, fields)
    if (violation) violations.push(violation)
  }
  if (violations.length > 0) refuseParams(violations)
}

/** Throws `invalid-parameters-format` for invalid values among those given; none is required. */
export function checkGiven(services: Services, fields: object): void {
  const violations = enterable(services).flatMap(
    field => violationOfField({ ...field, isRequired: false }, fields) ?? []
  )
  if (violations.length > 0) refuseParams(violations)
}

/** The values of account fields among those of a registration. */
export function valuesOf(services: Services, fields: object): ReadonlyMap<string, unknown> {
  const values = new Map(Object.entries(fields).filter(([, value]) => value !== null && value !== ''))
  return new Map(
    enterable(services).flatMap(({ name }) => (values.has(name) ? [[name, values.get(name)] as const] : []))
  )
}

/** Those of the values that have to be unique among all accounts. */
export function uniqueOf(
  services: Services,
  values: ReadonlyMap<string, unknown>
): Readonly<Record<string, string | number>> {
  const { byName } = accountStreams(services.config)
  return Object.fromEntries(
    [...values].filter(([name]) => byName.get(name)?.isUnique) as [string, string | number][]
  )
}

/** Stores the values of a new account as events; fields without one get their default. Must run within a write. */
export function keepValues(
  { config }: Services,
  store: UserStore,
  values: ReadonlyMap<string, unknown>,
  now: number,
  by: string
): void {
  const { byName, createEvent: eventOf } = accountStreams(config)
  for (const { name, standard } of byName.values()) {
    const content = values.get(name) ?? standard
    const event = eventOf(name, content, { time: now, at: store.stamp(now), by })
    if (event && content !== null && content !== '') store.events.insert(event)
    if (event && name === 'email') store.confirmed.set(name, content)
  }
}

/** The fields whose values a registration may give. */
function enterable({ config }: Services): AccountField[] {
  const { byName } = accountStreams(config)
  return [...byName.values()].filter(({ children, isCounted }) => !isCounted && children.length === 0)
}

function violationsOfBuiltIn(fields: object): Violation[] {
  try {
    if (Object.hasOwn(fields, 'identity')) checkWithIdentity(fields)
    else checkBuiltIn(fields)
    return []
  } catch (error) {
    if (error instanceof ApiError && Array.isArray(error.details.data))
      return [...(error.details.data as Violation[])]
    throw error
  }
}

function violationOfField(field: AccountField, fields: object): Violation | undefined {
  const { isRequired, name } = field
  const value = new Map<string, unknown>(Object.entries(fields)).get(name)
  const path = `#/${name}`
  if (value !== undefined && value !== null && !(value === '' && !isRequired))
    return violationOf(field, value, path)
  if (!isRequired) return undefined
  return { code: `${name}-required`, message: `The ${name} is missing`, path, param: name }
}
