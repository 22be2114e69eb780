/** The id under which clients of FHIR know the user. (docs/api/fhir.md) */
import { createHash } from 'node:crypto'

/**
 * Returns the id of the patient, which never changes and does not tell the user name. By an alias it is another: clients
 * cannot tell that both are the same user.
 */
export function createPatientId(accountId: string, alias = ''): string {
  return createHash('sha256').update(`patient ${accountId} ${alias}`).digest('hex').slice(0, 32)
}
