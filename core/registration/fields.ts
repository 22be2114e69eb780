/**
 * Fields of a registration: those of every account, and those that the operator adds.
 * (docs/spec/registration.md#fields)
 */
import { IdentityRegistration, Registration } from '../../schemas/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { checkFieldValue } from '../account/check-field-value.js'
import { ApiError } from '../errors.js'
import { getAccountStreams, type AccountField } from '../account/fields.js'
import { createChecker, refuseParams, type Violation } from '../validation/params.js'
import type { Services } from '../call/services.js'

const checkBuiltIn = createChecker(Registration)
const checkWithIdentity = createChecker(IdentityRegistration)

/** Throws `invalid-parameters-format` with all problems of the fields, those of the operator among them. */
export function checkRegistration(
  services: Services,
  fields: object
): asserts fields is Registration | IdentityRegistration {
  const violations = checkBuiltInFields(fields)
  const reported = new Set(violations.map(({ param }) => param))
  for (const field of listEnterableFields(services)) {
    const violation = reported.has(field.name) ? undefined : checkField(field, fields)
    if (violation) violations.push(violation)
  }
  if (violations.length > 0) refuseParams(violations)
}

/** Throws `invalid-parameters-format` for invalid values; no field is required. */
export function checkOptionalFields(services: Services, fields: object): void {
  const violations = listEnterableFields(services).flatMap(
    field => checkField({ ...field, isRequired: false }, fields) ?? []
  )
  if (violations.length > 0) refuseParams(violations)
}

/** Returns the values of account fields in a registration. Empty ones are omitted. */
export function selectFieldValues(services: Services, fields: object): ReadonlyMap<string, unknown> {
  const values = new Map(Object.entries(fields).filter(([, value]) => value !== null && value !== ''))
  return new Map(
    listEnterableFields(services).flatMap(({ name }) =>
      values.has(name) ? [[name, values.get(name)] as const] : []
    )
  )
}

/** Returns those of the values that must be unique across accounts. */
export function selectUniqueValues(
  services: Services,
  values: ReadonlyMap<string, unknown>
): Readonly<Record<string, string | number>> {
  const { byName } = getAccountStreams(services.config)
  return Object.fromEntries(
    [...values].filter(([name]) => byName.get(name)?.isUnique) as [string, string | number][]
  )
}

/**
 * Stores the values of a new account as events; fields without a value get their default. Must run within a
 * transaction. The email address counts as confirmed.
 */
export function storeValues(
  { config }: Services,
  store: UserStore,
  values: ReadonlyMap<string, unknown>,
  { now, by }: { readonly now: number; readonly by: string }
): void {
  const { byName, createEvent } = getAccountStreams(config)
  for (const { name, defaultValue } of byName.values()) {
    const content = values.get(name) ?? defaultValue
    const event = createEvent(name, content, { time: now, at: store.stamp(now), by })
    if (event && content !== null && content !== '') store.events.insert(event)
    if (event && name === 'email') store.confirmed.set(name, content)
  }
}

/** Returns the fields whose values a registration may set. */
function listEnterableFields({ config }: Services): AccountField[] {
  const { byName } = getAccountStreams(config)
  return [...byName.values()].filter(({ children, isCounted }) => !isCounted && children.length === 0)
}

function checkBuiltInFields(fields: object): Violation[] {
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

/** Returns what is wrong with the value of a field; `undefined` if it is valid. */
function checkField(field: AccountField, fields: object): Violation | undefined {
  const { isRequired, name } = field
  const value = new Map<string, unknown>(Object.entries(fields)).get(name)
  const path = `#/${name}`
  if (value !== undefined && value !== null && !(value === '' && !isRequired))
    return checkFieldValue(field, value, path)
  if (!isRequired) return undefined
  return { code: `${name}-required`, message: `The ${name} is missing`, path, param: name }
}
