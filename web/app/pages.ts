/** The pages of the app, each a module that is loaded when first shown. */
import type { ComponentType } from 'preact'
import type { PageName, PageProps } from './route.js'
import { addModuleTexts } from './texts.js'

export type PageView = ComponentType<PageProps>
type Module = Promise<{ readonly default: PageView }>

const loaders: Readonly<Record<PageName, () => Module>> = {
  today: () => import('./today/page.js'),
  timeline: () => import('./timeline/page.js'),
  streams: () => import('./streams/page.js'),
  events: () => import('./events/page.js'),
  table: () => import('./table/page.js'),
  map: () => import('./map/page.js'),
  photos: () => import('./photos/page.js'),
  report: () => import('./report/page.js'),
  measures: () => import('./measures/page.js'),
  shared: () => import('./shared/page.js'),
  compare: () => import('./compare/page.js'),
  channels: () => import('./channels/page.js'),
  letter: () => import('./letter/page.js'),
  reminders: () => import('./reminders/page.js'),
  forms: () => import('./forms/page.js'),
  alerts: () => import('./alerts/page.js'),
  people: () => import('./people/page.js'),
  account: () => import('./account/page.js'),
  import: () => import('./import/page.js'),
  connect: () => import('./connect/page.js')
}
const loaded = new Map<PageName, PageView>()

/** Returns a page if it is already loaded; otherwise undefined, without loading it. */
export function getLoadedPage(name: PageName): PageView | undefined {
  return loaded.get(name)
}

/** Loads a page with its texts. Rejects if the service is unreachable. */
export async function loadPage(name: PageName): Promise<PageView> {
  const [module] = await Promise.all([
    loaders[name](),
    addModuleTexts(name),
    // Names of types. The first pages do without, to load faster.
    ...(name === 'today' || name === 'timeline' ? [] : [addModuleTexts('data')])
  ])
  loaded.set(name, module.default)
  return module.default
}
