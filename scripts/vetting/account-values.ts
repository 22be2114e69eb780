/** Rules for the values of account fields in a foreign file: one in force of each, and such as could have been set. */
import { checkFieldValue } from '../../core/account/check-field-value.js'
import type { Config } from '../../core/settings/config.js'
import { activeId, uniqueId } from '../../core/system-ids.js'
import { getAccountStreams, type AccountField } from '../../core/account/fields.js'
import type { Event } from '../../schemas/event.js'
import type { Examiner } from './examiner.js'

/** Looks at all values, also at those that are kept as earlier versions did. Whatever is not a field here is nobody's value. */
export function examineAccountValues(examiner: Examiner): void {
  const { file, options } = examiner
  if (!options.home) return
  const inForce = examineEvents(examiner, options.home)
  const { byName } = getAccountStreams(options.home)
  for (const { name, value } of file.rows('SELECT name, value FROM account_field')) {
    const field = byName.get(String(name))
    if (!field) continue
    examiner.must(!inForce.has(field.name), 'profile', name, 'is repeated')
    examineValue(examiner, 'profile', name, field, parsed(value))
  }
  for (const { field: name, value } of file.rows('SELECT field, value FROM confirmed_value')) {
    const field = byName.get(String(name))
    if (field && value !== null) examineValue(examiner, 'profile', name, field, parsed(value))
  }
}

/** The names of the fields that have a value in force. */
function examineEvents(examiner: Examiner, home: Config): ReadonlySet<string> {
  const { fields } = getAccountStreams(home)
  const inForce = new Set<string>()
  for (const { body, id } of examiner.file.rows('SELECT id, body FROM event WHERE stream < 0')) {
    const { content, streamIds = [], trashed } = Object(parsed(body)) as Partial<Event>
    if (!Array.isArray(streamIds)) continue
    const say = (isRight: boolean, detail: string): boolean => examiner.must(isRight, 'event', id, detail)
    const [isActive, isUnique] = [activeId, uniqueId].map(mark => streamIds.includes(mark))
    const field = fields.get(String(streamIds[0]))
    say(!isUnique || isActive === true, 'is kept from others without being in force')
    if (!field || !isActive) continue
    say(!field.isUnique || isUnique === true, 'is not kept from others, as values of its field are')
    say(!inForce.has(field.name) && trashed !== true, 'is not the only value of its field, or in the trash')
    inForce.add(field.name)
    examineValue(examiner, 'event', id, field, content)
  }
  return inForce
}

function examineValue(
  examiner: Examiner,
  kind: 'event' | 'profile',
  id: unknown,
  field: AccountField,
  value: unknown
): void {
  const isNone = value === undefined || value === null || value === field.defaultValue
  const violation = isNone ? undefined : checkFieldValue(field, value, '#')
  examiner.must(!violation, kind, id, `is not what the field "${field.name}" can hold`)
}

/** Texts that cannot be read have been told of. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
