/** What SMART App Launch can do here. (http://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html) */
import type { Config } from '../../core/settings/config.js'
import { buildServerMetadata } from '../../core/oauth/metadata.js'

/** Members that both documents have in common. */
const shared = [
  'issuer',
  'jwks_uri',
  'authorization_endpoint',
  'token_endpoint',
  'token_endpoint_auth_methods_supported',
  'introspection_endpoint',
  'revocation_endpoint',
  'registration_endpoint',
  'response_types_supported',
  'grant_types_supported',
  'code_challenge_methods_supported',
  'scopes_supported'
]

/** Returns the configuration for apps. */
export function buildSmartConfiguration(config: Config): object {
  const metadata = buildServerMetadata(config) as Record<string, unknown>
  return {
    ...Object.fromEntries(shared.flatMap(name => (name in metadata ? [[name, metadata[name]]] : []))),
    capabilities: [
      'launch-standalone',
      'client-public',
      'client-confidential-symmetric',
      'sso-openid-connect',
      'context-standalone-patient',
      'permission-offline',
      'permission-patient',
      'permission-v1',
      'permission-v2'
    ]
  }
}

/** Returns what the capability statement says of it, with the addresses that older apps read there. */
export function buildSecurity(config: Config): object {
  const {
    authorization_endpoint: authorize,
    token_endpoint: token,
    ...metadata
  } = buildServerMetadata(config) as Record<string, string>
  const uris = {
    authorize,
    token,
    revoke: metadata['revocation_endpoint'],
    introspect: metadata['introspection_endpoint']
  }
  return {
    cors: true,
    service: [
      {
        coding: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/restful-security-service',
            code: 'SMART-on-FHIR'
          }
        ]
      }
    ],
    extension: [
      {
        url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
        extension: Object.entries(uris).map(([url, valueUri]) => ({ url, valueUri }))
      }
    ]
  }
}
