/** Scenarios of exports. (docs/api/exports.md) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract, type Scenario } from './scenario.js'

const csv = 'text/csv; charset=utf-8; header=present'
const lines = 'id,time\r\n'

/** Params that every export refuses. */
const wrong: readonly object[] = [
  {},
  { format: 'xls' },
  { format: 'csv', unheardOf: 1 },
  { format: 'csv', includeDeletions: true },
  { format: 'csv', limit: -1 },
  { format: 'csv', zone: 'Nowhere/At_All' },
  { format: 'csv', zone: 'UTC\r\nX: y' },
  { format: 'csv', columns: ['id'] },
  { format: 'csv-wide', columns: ['password'] },
  { format: 'csv-wide', columns: ['content.'] },
  { format: 'csv-wide', columns: ['id', 'time'], titles: ['Id'] },
  { format: 'csv-wide', titles: ['Id'] },
  { format: 'csv-wide', series: true },
  { format: 'json', bom: true },
  { format: 'parquet', bom: true },
  { format: 'parquet', columns: ['id'] },
  { format: 'json', series: true },
  { format: 'gpx', limit: 1 },
  { format: 'gpx', skip: 1 },
  { format: 'csv', types: ['no type'] },
  { format: 'csv', fromTime: 'yesterday' }
]

const ofOwner: Scenario = {
  name: 'returns the document within JSON',
  kind: 'success',
  params: { format: 'csv-wide', columns: ['type', 'content'], streams: ['body'], zone: 'Europe/Zurich' },
  answer: { export: { mediaType: csv, text: 'type,content\r\nmass/kg,70\r\n' } },
  after: ({ owner }, { export: { fileName } }) =>
    assert.match(fileName, new RegExp(`^${owner.username}-\\d{4}-\\d\\d-\\d\\d\\.csv$`))
}

export const exportScenarios: Contract = {
  'events.export': [
    {
      name: 'returns the document',
      kind: 'success',
      only: 'http',
      params: { format: 'csv-wide', columns: ['id', 'time'], streams: ['attic'], state: 'all' },
      text: lines
    },
    {
      name: 'returns it with its media type',
      kind: 'success',
      only: 'http',
      params: { format: 'gpx' },
      type: 'application/gpx+xml; charset=utf-8'
    },
    {
      name: 'returns bytes with their media type',
      kind: 'success',
      only: 'http',
      params: { format: 'parquet', streams: ['body'] },
      type: 'application/vnd.apache.parquet'
    },
    {
      name: 'returns bytes in base64 within JSON',
      kind: 'success',
      only: 'batch',
      params: { format: 'parquet', streams: ['body'] },
      answer: { export: { mediaType: 'application/vnd.apache.parquet' } },
      after: (_, { export: { base64, text } }) => {
        assert.match(base64, /^UEFSM/)
        assert.equal(text, undefined)
      }
    },
    { ...ofOwner, only: 'batch' },
    { ...ofOwner, only: 'socket' },
    {
      name: 'returns what the caller may read',
      kind: 'success',
      only: 'batch',
      by: 'reader',
      params: { format: 'csv-wide', columns: ['content'] },
      answer: { export: { text: 'content\r\nby the lake\r\nhello\r\n' } }
    },
    ...wrong.map((params): Scenario => ({
      name: `refuses ${JSON.stringify(params)}`,
      kind: 'params',
      params,
      error: 'invalid-parameters-format'
    })),
    {
      name: 'refuses an empty list of columns',
      kind: 'params',
      only: 'batch',
      params: { format: 'csv-wide', columns: [] },
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses an invalid streams query',
      kind: 'params',
      params: { format: 'csv', streams: '{"any": 1}' },
      error: 'invalid-request-structure'
    },
    {
      name: 'refuses an invalid text query',
      kind: 'params',
      params: { format: 'csv', text: '...' },
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses unknown streams',
      kind: 'state',
      params: { format: 'csv', streams: ['nowhere'] },
      error: 'unknown-referenced-resource'
    },
    ...(['gpx', 'fhir', 'fhir-ndjson'] as const).map((format): Scenario => ({
      name: `has no place for the audit in ${format}`,
      kind: 'state',
      params: { format, streams: [':_audit:'] },
      error: 'invalid-operation'
    })),
    {
      name: 'refuses reader, which may not read it',
      kind: 'caller',
      by: 'reader',
      params: { format: 'csv', streams: ['body'] },
      error: 'forbidden'
    },
    ...withoutToken({ format: 'csv' })
  ]
}
