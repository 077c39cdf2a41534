/**
 * The SDK that tests drive: its sources, or the bundle that HARMONY_BUNDLE names, whose own names are short. Stores are those of the sources.
 */
import * as sources from "../../src/node.js";

const bundle = process.env.HARMONY_BUNDLE;

export const { Device } = bundle ? await import(`../../dist/${bundle}`) : sources;
