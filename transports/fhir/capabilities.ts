/** The capability statement: what clients can do here. */
import type { Config } from '../../core/settings/config.js'
import { version } from '../../core/version.js'
import { resources } from './resources.js'
import { buildSecurity } from './smart.js'

/** Returns the statement. `date`: when the service began to serve this, in seconds. */
export function buildCapabilities(
  config: Config,
  { baseUrl, date }: { readonly baseUrl: string; readonly date: number }
): object {
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: new Date(date * 1000).toISOString(),
    kind: 'instance',
    software: { name: 'Coffer', version },
    implementation: { description: config.service.name || 'Coffer', url: baseUrl.replace(/\/$/, '') },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [
      {
        mode: 'server',
        security: buildSecurity(config),
        resource: Array.from(resources, ([type, { params }]) => ({
          type,
          interaction: [{ code: 'read' }, { code: 'search-type' }],
          versioning: 'no-version',
          searchParam: Object.entries(params).map(([name, kind]) => ({ name, type: kind }))
        }))
      }
    ]
  }
}
