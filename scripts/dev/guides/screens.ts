/** The settings of each app, as the pages in `docs/connect` show and draw them. The names of settings are those of the apps. */
import type { Screen } from './draw-screen.js'

/** The service, user and token of all examples. */
const base = 'https://data.example.com/daisy/from'
const token = 'TOKEN'

/** By dialect. */
export const screens: Readonly<Record<string, Screen>> = {
  'hc-webhook': {
    path: ['HC Webhook', 'Webhook URLs'],
    rows: [
      { label: 'New Webhook URL', value: `${base}/hc-webhook` },
      { button: 'Add Webhook' },
      { heading: 'Manage Headers' },
      { label: 'Key', value: 'Authorization' },
      { label: 'Value', value: `Bearer ${token}` },
      { heading: 'Sync Schedule' },
      { label: 'Interval (Minutes)', value: '15' }
    ]
  },
  'health-auto-export': {
    path: ['Automated Exports', 'New Automation'],
    rows: [
      { label: 'Automation Type', value: 'REST API', isChosen: true },
      { label: 'URL', value: `${base}/health-auto-export` },
      { label: 'Header: key', value: 'Authorization' },
      { label: 'Header: value', value: `Bearer ${token}` },
      { label: 'Data Type', value: 'Health Metrics', isChosen: true },
      { label: 'Export Format', value: 'JSON', isChosen: true },
      { label: 'Period', value: 'Since Last Sync', isChosen: true },
      { label: 'Enabled', state: 'on' }
    ]
  },
  owntracks: {
    path: ['Preferences', 'Connection'],
    rows: [
      { label: 'Mode', value: 'HTTP', isChosen: true },
      { label: 'URL', value: `${base}/owntracks` },
      { label: 'Username', value: 'daisy' },
      { label: 'Password', value: token },
      { label: 'Device ID', value: 'phone' },
      { label: 'Tracker ID', value: 'DA' }
    ]
  },
  overland: {
    path: ['Settings', 'Server URL'],
    rows: [
      { label: 'RECEIVER ENDPOINT URL', value: `${base}/overland` },
      { label: 'ACCESS TOKEN', value: token },
      { label: 'DEVICE ID', value: 'phone' },
      { button: 'Save' }
    ]
  },
  osmand: {
    path: ['One address for four apps'],
    rows: [
      { heading: 'Traccar Client' },
      { label: 'Server URL', value: `${base}/osmand/~${token}` },
      { label: 'Continuous tracking', state: 'on' },
      { heading: 'GPSLogger' },
      { label: 'Log to custom URL', state: 'on' },
      { label: 'Custom URL', value: `${base}/osmand/~${token}?%ALL` },
      { heading: 'OsmAnd: online tracking' },
      {
        label: 'web address',
        value: `${base}/osmand/~${token}?lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&bearing={6}`
      }
    ]
  },
  influx: {
    path: ['telegraf.conf'],
    rows: [
      {
        lines: [
          '[[outputs.influxdb_v2]]',
          '  urls = ["https://data.example.com/',
          '   ↳ daisy/from/influx"]',
          `  token = "${token}"`,
          '  organization = "home"',
          '  bucket = "cellar"'
        ]
      },
      { heading: 'Home Assistant: configuration.yaml' },
      {
        lines: [
          'influxdb:',
          '  host: data.example.com',
          '  port: 443',
          '  ssl: true',
          '  path: /daisy/from/influx',
          '  database: home',
          '  username: daisy',
          `  password: ${token}`
        ]
      }
    ]
  },
  openscale: {
    path: ['openScale sync', 'Webhook'],
    rows: [
      { label: 'Webhook URL', value: `${base}/openscale` },
      { label: 'Authorization header (optional)', value: `Bearer ${token}` },
      { button: 'Test connection' }
    ]
  },
  'sleep-as-android': {
    path: ['Settings', 'Services', 'Automation'],
    rows: [
      { label: 'Webhooks', state: 'on' },
      { label: 'URL', value: `${base}/sleep-as-android/~${token}` }
    ]
  },
  listenbrainz: {
    path: ['Settings of your player', 'ListenBrainz'],
    rows: [
      { label: 'custom API URL', value: `${base}/listenbrainz` },
      { label: 'user token', value: token }
    ]
  },
  wakatime: {
    path: ['.wakatime.cfg in your home folder'],
    rows: [
      {
        lines: [
          '[settings]',
          'api_url = https://data.example.com/',
          `↳ daisy/from/wakatime/~${token}`,
          'api_key = 00000000-0000-4000-8000-',
          '↳ 000000000000'
        ]
      }
    ]
  },
  json: {
    path: ['Shortcuts', 'Get Contents of URL'],
    rows: [
      { label: 'URL', value: `${base}/json/~${token}` },
      { label: 'Method', value: 'POST', isChosen: true },
      { label: 'Request Body', value: 'JSON', isChosen: true },
      { label: 'value', value: 'Provided Input' },
      { label: 'time', value: 'Current Date (ISO 8601)' }
    ]
  },
  nightscout: {
    path: ['Settings for Nightscout'],
    rows: [
      { heading: 'Loop' },
      { label: 'Site URL', value: 'https://data.example.com' },
      { label: 'API Secret', value: token },
      { heading: 'AndroidAPS: NSClientV3' },
      { label: 'address of Nightscout', value: 'https://data.example.com' },
      { label: 'access token', value: token },
      { label: 'web sockets', state: 'off' },
      { heading: 'xDrip+: Nightscout Sync (REST-API)' },
      { label: 'Base URL', value: `https://${token}@data.example.com/daisy/api/v1/` }
    ]
  }
}
