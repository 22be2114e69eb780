/** Converts the values of the set-up form. */
import type { Values } from '../../parts/form.js'

/** Returns the chosen settings. Fields that are set elsewhere are disabled and not among the values. */
export function toChoices(values: Values): object {
  const names = [
    'serviceName',
    'publicUrl',
    'registration',
    'mailHost',
    'mailEncryption',
    'mailUser',
    'mailFrom'
  ]
  const texts = names.filter(name => values[name] !== undefined).map(name => [name, values[name]!.trim()])
  const { accessUpdates, mailPassword, mailPort } = values
  return {
    ...Object.fromEntries(texts),
    ...(accessUpdates === undefined ? {} : { accessUpdates: accessUpdates === 'true' }),
    ...(mailPassword ? { mailPassword } : {}),
    // Invalid numbers become 0, which the service refuses with the name of the field.
    ...(mailPort === undefined ? {} : { mailPort: /^\s*\d{1,9}\s*$/.test(mailPort) ? Number(mailPort) : 0 })
  }
}
