import ConnectionEngine

/// The results of a run of `bench`.
struct BenchReport: Hashable, Sendable {
    var plan: BenchPlan
    var published = 0
    var accepted = 0
    var refused = 0
    var unknown = 0
    /// The reason why the latest failed publish request has failed; nil when none has failed.
    var trouble: String?
    /// The number of received messages, including repetitions.
    var delivered = 0
    /// The number of deliveries of accepted messages that did not arrive.
    var lost = 0
    var duplicates = 0
    var late = 0
    var reconnects = 0
    /// The time from the first message's due time to the last delivery, in nanoseconds.
    var nanoseconds: Int64 = 0
    /// The percentiles 50, 90 and 99 and the maximum of the latency, in nanoseconds; nil when no message arrived.
    var p50: Int64?
    var p90: Int64?
    var p99: Int64?
    var maximum: Int64?

    /// Whether every message was accepted and arrived once at each subscriber.
    var isComplete: Bool { published == plan.messages && accepted == published && lost == 0 && duplicates == 0 }

    var deliveriesPerSecond: Int { nanoseconds > 0 ? Int(Double(delivered) / Double(nanoseconds) * 1e9) : 0 }

    /// Counts the accepted messages that each subscriber has not received.
    mutating func account(for subscribers: [BenchSubscriber], _ outcomes: [[BenchPublisher.Outcome]]) {
        for subscriber in subscribers {
            let state = subscriber.now
            let messages = outcomes[subscriber.channel]
            for range in state.ledger.missing(below: messages.count) {
                lost += messages[range].count { $0 == .accepted }
            }
            duplicates += state.ledger.duplicates
            late += state.ledger.late
            reconnects += max(0, state.connects - 1)
        }
    }

    mutating func measure(_ tally: BenchTally, since start: Moment) {
        let (histogram, latest) = tally.total
        delivered = histogram.count
        nanoseconds = max(0, latest.nanoseconds - start.nanoseconds)
        p50 = histogram.percentile(0.5)
        p90 = histogram.percentile(0.9)
        p99 = histogram.percentile(0.99)
        maximum = histogram.count > 0 ? histogram.maximum : nil
    }

    var lines: [String] {
        var lines = [
            "published    \(published) of \(plan.messages): \(accepted) accepted, \(refused) refused, \(unknown) unknown",
            "delivered    \(delivered): \(lost) lost, \(duplicates) duplicated, \(late) out of order",
            "throughput   \(deliveriesPerSecond) deliveries/s for \(Seconds.text(nanoseconds: nanoseconds, digits: 1)) s",
        ]
        if let p50, let p90, let p99, let maximum {
            let times = [("p50", p50), ("p90", p90), ("p99", p99), ("max", maximum)].map { "\($0) \(Self.milliseconds($1))" }
            lines.append("latency      \(times.joined(separator: ", "))")
        }
        lines.append("connections  \(plan.subscribers): \(reconnects) reconnects")
        return lines
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        Seconds.text(nanoseconds: nanoseconds.multipliedReportingOverflow(by: 1000).partialValue, digits: 2) + " ms"
    }

    /// The report as one JSON object, with times in seconds.
    var json: String {
        var latency = JSONObject()
        latency.put("p50", json: Self.seconds(p50))
        latency.put("p90", json: Self.seconds(p90))
        latency.put("p99", json: Self.seconds(p99))
        latency.put("max", json: Self.seconds(maximum))
        var object = JSONObject()
        object.put("ev", "bench")
        object.put("service", plan.service.rawValue)
        object.put("subscribers", plan.subscribers)
        object.put("channels", plan.channels)
        object.put("rate", plan.rate)
        object.put("duration", plan.duration)
        object.put("size", plan.size)
        object.put("published", published)
        object.put("accepted", accepted)
        object.put("refused", refused)
        object.put("unknown", unknown)
        object.put("delivered", delivered)
        object.put("lost", lost)
        object.put("duplicates", duplicates)
        object.put("out_of_order", late)
        object.put("reconnects", reconnects)
        object.put("seconds", json: Self.seconds(nanoseconds))
        object.put("deliveries_per_second", deliveriesPerSecond)
        object.put("latency", json: latency.text)
        return object.text
    }

    private static func seconds(_ nanoseconds: Int64?) -> String {
        nanoseconds.map { Seconds.text(nanoseconds: $0, digits: 6) } ?? "null"
    }
}
