/** Counters of the sessions since the start, for the metrics. */
export class Counters {
  /** Requests answered, by operation and outcome (`ok` or an error code). */
  readonly requests = new Map<string, Map<string, number>>();
  deliveriesPushed = 0;
  connectionsOpened = 0;
  connectionsLost = 0;

  answered(operation: string, outcome: string): void {
    let outcomes = this.requests.get(operation);
    if (!outcomes) {
      outcomes = new Map();
      this.requests.set(operation, outcomes);
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
}
