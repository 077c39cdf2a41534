const RECORD = { battery: Number, theme: String, wifi: Boolean, charging: Boolean };

/** Let a device answer twice, and return who it is, what was accepted and what its ledger says. */
export async function takePart(Device, server, epsilonLimit, store, values) {
  const device = new Device(server, { record: RECORD, consent: true, epsilonLimit, store });
  const visits = [await device.answer(values), await device.answer(values)];
  const ledger = await device.ledger();
  return {
    device: (await device.status()).device,
    accepted: visits.flatMap((visit) => visit.accepted.map(({ survey }) => survey)),
    troubles: visits.map(({ trouble }) => trouble),
    ledger: ledger.map(({ survey, round, state }) => [survey, round, state]),
  };
}
