import NIOCore
import NIOPosix
import ServerCluster
import ServerConsole
import ServerRuntime
import ServerValues
import WireCoding

// Answers with the status of the server: overview, metrics, cluster and webhooks.
extension ServerConsoleSource {
    /// Copies the counts of every event loop, each on the thread of that event loop.
    private func figures() async throws -> [LoopFigures] {
        let asked = context.now
        var futures: [EventLoopFuture<LoopFigures>] = []
        for loop in context.loops {
            futures.append(
                loop.eventLoop.submit { [context] in
                    var figures = loop.state.figures
                    figures.delay = max(context.now.since(asked), .zero)
                    return figures
                })
        }
        var all: [LoopFigures] = []
        for future in futures { all.append(try await future.get()) }
        return all
    }

    func overview() async throws -> JSONValue {
        let loops = try await figures()
        let process = try await NIOThreadPool.singleton.runIfActive { ProcessFigures.current() }
        let statistics = services.statistics
        let admission = context.admission.withLockedValue { $0 }
        let rates = history.withLockedValue(\.rates)
        let webhooks = webhookCounts
        var value: JSONValue = [
            "version": .string(LifelineServer.version), "uptime": .seconds(context.now.since(context.started)),
            "node": .optional(configuration.redis?.node), "reasons": .texts(context.readiness.map(\.rawValue)),
            "connections": .count(statistics.connections), "connectionsLimit": .count(admission.maximumConnections),
            "sockets": .count(admission.sockets), "channels": .count(statistics.channels),
            "polls": .count(statistics.heldPolls), "memory": process.residentBytes.map { .count($0) } ?? .null,
            "openFiles": process.openFiles.map { .count($0) } ?? .null,
            "openFilesLimit": process.maximumOpenFiles.map { .count($0) } ?? .null,
            "queuedLimit": .count(context.settings.maximumQueuedBytes),
            "loops": .array(
                zip(context.loops, loops).map { loop, figures in
                    [
                        "queued": .count(loop.queue.bytes), "delay": .count(Int(figures.delay / .microseconds(1))),
                        "sent": .count(figures.applications.total.messagesSent),
                    ]
                }),
            "totals": [
                "accepted": .count(statistics.connectionsAccepted), "refused": .count(statistics.connectionsRefused),
                "sent": .count(statistics.messagesSent), "received": .count(statistics.messagesReceived),
                "sentBytes": .count(statistics.bytesSent), "receivedBytes": .count(statistics.bytesReceived),
                "polled": .count(statistics.messagesPolled), "chat": .count(statistics.chatMessages),
                "requests": .count(statistics.requests), "requestsRefused": .count(statistics.requestsRefused),
                "held": .count(loops.reduce(0) { $0 + $1.held }),
            ],
            "webhooks": [
                "queued": .count(webhooks.queued), "dropped": .count(webhooks.dropped), "failed": .count(webhooks.failedRequests),
            ],
            "configurationValid": .bool(context.hasValidConfiguration.withLockedValue { $0 }),
            "rates": ["messages": .rate(rates.messages), "deliveries": .rate(rates.deliveries)],
        ]
        guard case .object(var members) = value else { return value }
        members["certificate"] = certificate
        members["cluster"] = seat.clusterStatus.map { Self.cluster($0(), at: context.now) } ?? .null
        value = .object(members)
        return value
    }

    /// The metrics of a time span, as one array for each series. Steps without data are null (rule CO-81).
    func figures(_ parameters: ConsoleParameters) throws(HTTPProblem) -> JSONValue {
        guard let span = FigureHistory.Span(rawValue: parameters.span ?? FigureHistory.Span.fiveMinutes.rawValue) else {
            let spans = FigureHistory.Span.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("span is one of \(spans).")
        }
        let now = context.now
        let points = history.withLockedValue { $0.points(of: span, at: now) }
        let age = FigureHistory.age(ofLastStep: span, at: now).components.seconds
        let start = context.clock.unixSeconds() - Int(age) - (points.count - 1) * Int(span.step)
        func series(_ value: (FigureHistory.Point) -> JSONValue) -> JSONValue { .array(points.map { $0.map(value) ?? .null }) }
        return [
            "span": .string(span.rawValue), "step": .count(Int(span.step)), "start": .count(start),
            "series": [
                "connections": series { .count($0.connections) }, "messages": series { .thousandths($0.messages) },
                "deliveries": series { .thousandths($0.deliveries) }, "errors": series { .thousandths($0.errors) },
                // In microseconds.
                "delay": series { .count(Int($0.delay / .microseconds(1))) },
            ],
        ]
    }

    private var certificate: JSONValue {
        guard let certificate = context.certificate else { return .null }
        let days = (certificate.expires - context.clock.unixSeconds()) / 86_400
        return ["days": .count(days), "valid": .bool(certificate.problem == nil)]
    }

    /// The state of a cluster: that of its only partition, or the sums of several partitions with the state of each in `partitions`.
    private static func cluster(_ all: [ClusterStatus], at now: MonotonicInstant) -> JSONValue {
        guard let first = all.first, all.count > 1 else { return all.first.map { cluster($0, at: now) } ?? .null }
        func sum(_ value: (ClusterStatus) -> Int) -> JSONValue { .count(all.reduce(0) { $0 + value($1) }) }
        let partitions = all.map { status -> JSONValue in
            guard case .object(var members) = cluster(status, at: now) else { return .null }
            members["partition"] = .count(status.partition ?? 0)
            return .object(members)
        }
        guard case .object(var members) = cluster(first, at: now) else { return .null }
        members["partitions"] = .array(partitions)
        members["members"] = []
        members["connected"] = .bool(all.allSatisfy(\.trouble.isEmpty))
        members["trouble"] = .texts(Set(all.flatMap(\.trouble.values)).sorted())
        members["refusing"] = .bool(all.contains(where: \.isRefused))
        members["current"] = .bool(all.allSatisfy(\.isCurrent))
        members["problem"] = .optional(all.compactMap(\.problem).first)
        members["nodes"] = .count(all.map(\.nodes).max() ?? 0)
        members["waiting"] = sum(\.waitingRequests)
        members["queued"] = sum(\.queuedBytes)
        members["repairs"] = sum(\.repairs)
        members["losses"] = sum(\.losses)
        members["elections"] = sum(\.elections)
        return .object(members)
    }

    private static func cluster(_ status: ClusterStatus, at now: MonotonicInstant) -> JSONValue {
        let members = status.members.map { member -> JSONValue in
            [
                "name": .string(member.node.name), "leads": .bool(member.node.name == status.leader),
                "expected": .bool(member.isExpected), "version": .optional(member.version),
                // In milliseconds.
                "silent": .count(Int(max(now.since(member.lastHeard), .zero) / .milliseconds(1))),
            ]
        }
        return [
            "members": .array(members),
            "connected": .bool(status.trouble.isEmpty), "trouble": .texts(status.trouble.values.sorted()),
            "refusing": .bool(status.isRefused), "role": .string(status.role == .follower ? "follower" : "leader"),
            // The number of the leader's last batch of decisions that this server has applied. The server lags if this number is lower than
            // on other servers (rule CO-99).
            "sequence": .count(Int(clamping: status.position?.sequence ?? 0)),
            "leader": .optional(status.leader), "current": .bool(status.isCurrent), "nodes": .count(status.nodes),
            "waiting": .count(status.waitingRequests), "queued": .count(status.queuedBytes), "repairs": .count(status.repairs),
            "losses": .count(status.losses), "elections": .count(status.elections), "problem": .optional(status.problem),
        ]
    }

    // MARK: Trouble

    func errors() async throws -> JSONValue {
        let loops = try await figures()
        let total = loops.reduce(into: LoopFigures()) { $0.add($1) }
        func list(_ counts: [LoopFigures.Code: Int], _ kind: String) -> [JSONValue] {
            counts.sorted { ($0.value, $1.key.code) > ($1.value, $0.key.code) }.prefix(100).map { code, count in
                [
                    "kind": .string(kind), "service": .string(code.service.rawValue), "code": .count(code.code),
                    "count": .count(count),
                    "sentence": .optional(
                        consoles.first { $0.service == code.service }?.sentence(ofCode: code.code)),
                ]
            }
        }
        let labels = context.requestKinds.labels
        let requests: [JSONValue] = labels.enumerated().compactMap { index, label in
            let kind = RequestKind(index: UInt8(index))
            let (refused, failed) = (total.requests.count(kind, digit: 4), total.requests.count(kind, digit: 5))
            guard refused + failed > 0 else { return nil }
            return ["route": .string(label), "refused": .count(refused), "failed": .count(failed)]
        }
        let tally = total.applications.total
        let webhooks = webhookCounts
        return [
            "codes": .array(list(total.refusals, "refused") + list(total.errors, "error")), "requests": .array(requests),
            "slow": .count(tally.slowSubscribersCut), "dead": .count(tally.deadConnectionsCut),
            "acceptFailures": .count(context.shortage.failures), "addresses": .count(context.addresses.refused),
            "held": .count(total.held), "reasons": .texts(context.readiness.map(\.rawValue)),
            "configurationValid": .bool(context.hasValidConfiguration.withLockedValue { $0 }), "certificate": certificate,
            "webhooksDropped": .count(webhooks.dropped), "webhooksFailed": .count(webhooks.failedRequests),
            "cluster": seat.clusterStatus.map { Self.cluster($0(), at: context.now) } ?? .null,
        ]
    }

    // MARK: Webhooks

    private var webhookCounts: WebhookDelivery.Counts {
        consoles.flatMap(\.webhookReports).flatMap(\.receivers)
            .reduce(into: WebhookDelivery.Counts()) { $0 += $1.counts }
    }

    /// One row for each receiver of webhooks (rule CO-71).
    func webhooks() -> JSONValue {
        let rows = consoles.flatMap { console in
            console.webhookRows().flatMap { report in
                report.receivers.compactMap { webhook(console.service.rawValue, app: report.application, receiver: $0) }
            }
        }
        return ["webhooks": .array(rows)]
    }

    /// The row of a receiver. Nil for a receiver that was removed from the configuration and has no queued events.
    private func webhook(_ service: String, app: String, receiver: WebhookReport) -> JSONValue? {
        let counts = receiver.counts
        guard receiver.url != nil || counts.queued > 0 else { return nil }
        let failure = counts.lastFailure.map { failure -> JSONValue in
            [
                "reason": .string(failure.reason),
                "seconds": .count(Int(clamping: context.now.since(failure.instant).components.seconds)),
            ]
        }
        return [
            "service": .string(service), "app": .string(app), "receiver": .count(receiver.number),
            "url": .optional(receiver.url.map(Self.withoutSecrets)), "queued": .count(counts.queued),
            "delivered": .count(counts.delivered), "dropped": .count(counts.dropped), "failed": .count(counts.failedRequests),
            "problem": .optional(counts.problem), "failure": failure ?? .null,
        ]
    }

    /// The address of a receiver without the parts that may be secret: user, password and query.
    static func withoutSecrets(_ url: String) -> String {
        var text = String(url.prefix { $0 != "?" && $0 != "#" })
        if let scheme = text.range(of: "://") {
            let authority = text[scheme.upperBound...].prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") { text.removeSubrange(scheme.upperBound...at) }
        }
        return text
    }
}
