import { kinds } from "./survey.js";
import { readText } from "./text.js";

/**
 * `@harmony-ldp/device/explorations`: the SDK that takes part in explorations, too, which ask for texts.
 */
export * from "./index.js";

kinds.set("text", readText);
