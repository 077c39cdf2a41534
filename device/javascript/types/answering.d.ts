/**
 * Answer every open survey, and take part in every training, once. What is not answered throws why, and is noted as skipped.
 *
 * @param {import("./session.js").Session} session
 * @param {import("./record.js").Values} values
 * @param {import("./visit.js").Visit} visit
 */
export function answerAll(session: import("./session.js").Session, values: import("./record.js").Values, visit: import("./visit.js").Visit): Promise<void>;
export type Listed = import("./listing.js").Listed;
export type ListedSurvey = import("./listing.js").ListedSurvey;
