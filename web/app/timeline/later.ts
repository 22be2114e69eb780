/** Components loaded after the lanes, in one file rather than several small ones. */
export { LaneChoice } from './lane-choice.js'
export { CursorPanel } from './cursor-panel.js'
export { OverviewStrip } from './overview-strip.js'
export { LaneTable } from './lane-table.js'
export { LaneSources } from './lane-sources.js'
export { MeasureOffer } from './measure-offer.js'
