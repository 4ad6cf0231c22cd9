import NIOCore
import ServerConsole
import ServerRuntime
import WireCoding

// Lists of channels, users and connections. Each list is bounded, and each request to an event loop reads only one slice of connections.
extension ServerConsoleSource {
    /// How many connections one task on an event loop visits, which takes some hundred microseconds.
    private static let slice = 500

    // MARK: Connections

    /// Connections of this server that pass the filter, beginning at the position that an earlier answer returned.
    private func find(
        _ parameters: ConsoleParameters, _ isWanted: @escaping @Sendable (ConnectionReport) -> Bool
    ) async throws -> (reports: [ConnectionReport], next: String?) {
        var found: [ConnectionReport] = []
        // The parameter `after` is a position in the list of connections, in the format SERVICE.LOOP.INDEX.
        let given = (parameters.after ?? "").split(separator: ".").compactMap { Int($0) }
        var (service, number, index) = given.count == 3 ? (given[0], given[1], given[2]) : (0, 0, 0)
        // Positions with negative numbers are refused, because no answer contains them.
        guard index >= 0, number >= 0, service >= 0 else { throw HTTPProblem(400, "after is not from an earlier answer.") }
        while consoles.indices.contains(service) {
            let console = consoles[service]
            let isListed = console.hasConnections && parameters.service.map { $0 == console.service.rawValue } ?? true
            while isListed, context.loops.indices.contains(number) {
                let loop = context.loops[number]
                let (place, start) = (number, index)
                let room = parameters.limit - found.count
                guard room > 0 else { return (found, "\(service).\(number).\(index)") }
                let slice = try await loop.eventLoop.submit {
                    let (reports, next) = console.reports(on: place, from: start, count: Self.slice)
                    var wanted: [ConnectionReport] = []
                    for (offset, report) in reports.enumerated() where isWanted(report) {
                        // The next answer begins with the first connection that has no room in this one.
                        if wanted.count == room { return (wanted, Optional(start.clampedAdding(offset))) }
                        wanted.append(report)
                    }
                    return (wanted, next)
                }.get()
                found += slice.0
                if let next = slice.1 {
                    index = next
                } else {
                    (number, index) = (number + 1, 0)
                }
            }
            (service, number, index) = (service + 1, 0, 0)
        }
        return (found, nil)
    }

    /// The largest number of connections that are visited for one count.
    private static let counted = 10_000

    /// The number of connections that pass the filter. Nil if the server has more connections than one answer may visit (rule CO-98).
    private func count(
        _ parameters: ConsoleParameters, _ isWanted: @escaping @Sendable (ConnectionReport) -> Bool
    ) async throws -> Int? {
        var (count, visited) = (0, 0)
        for console in consoles where console.hasConnections {
            if let service = parameters.service, console.service.rawValue != service { continue }
            for (number, loop) in context.loops.enumerated() {
                var start: Int? = 0
                while let index = start {
                    guard visited < Self.counted else { return nil }
                    let slice = try await loop.eventLoop.submit {
                        let (reports, next) = console.reports(on: number, from: index, count: Self.slice)
                        return (wanted: reports.count(where: isWanted), visited: reports.count, next: next)
                    }.get()
                    count += slice.wanted
                    visited += slice.visited
                    start = slice.next
                }
            }
        }
        return count
    }

    private func filter(_ parameters: ConsoleParameters, onlyUsers: Bool) -> @Sendable (ConnectionReport) -> Bool {
        let search = NameSearch(parameters.contains)
        return { report in
            if let service = parameters.service, report.service.rawValue != service { return false }
            if let application = parameters.application, report.application != application { return false }
            if onlyUsers, report.user == nil { return false }
            let prefix = parameters.prefix.utf8
            guard !prefix.isEmpty || !search.isEverything else { return true }
            let names = onlyUsers ? [report.user] : [report.id, report.name, report.user, report.address]
            return names.contains { $0.map { $0.utf8.starts(with: prefix) && search.takes($0) } == true }
        }
    }

    private static func value(_ report: ConnectionReport) -> JSONValue {
        [
            "id": .string(report.id), "service": .string(report.service.rawValue), "app": .string(report.application),
            "name": .optional(report.name), "user": .optional(report.user), "address": .optional(report.address),
            "age": .seconds(report.age), "received": .count(report.receivedBytes), "sent": .count(report.sentBytes),
            "pending": .count(report.pendingBytes), "channels": report.channels.map { .count($0) } ?? .null,
            "state": .string(report.state),
        ]
    }

    func connections(_ parameters: ConsoleParameters) async throws -> JSONValue {
        try await list("connections", parameters, where: filter(parameters, onlyUsers: false))
    }

    /// The signed-in users of this server's connections, or the users of a service that has users without connections.
    func users(_ parameters: ConsoleParameters) async throws -> JSONValue {
        if let known = try await knownUsers(parameters) { return known }
        return try await list("users", parameters, where: filter(parameters, onlyUsers: true))
    }

    private func list(
        _ name: String, _ parameters: ConsoleParameters, where isWanted: @escaping @Sendable (ConnectionReport) -> Bool
    ) async throws -> JSONValue {
        let (reports, next) = try await find(parameters, isWanted)
        let isWhole = parameters.after == nil && next == nil
        let total = isWhole ? reports.count : try await count(parameters, isWanted)
        return [name: .array(reports.map(Self.value)), "total": .optional(total), "next": .optional(next)]
    }

    func ended(_ parameters: ConsoleParameters) async throws -> JSONValue {
        var ended: [EndedConnection] = []
        for loop in context.loops {
            ended += try await loop.eventLoop.submit { loop.state.ended.latestFirst }.get()
        }
        let wanted = ended.filter { parameters.service == nil || $0.service.rawValue == parameters.service }
            .sorted { $0.time > $1.time }.prefix(parameters.limit)
        return [
            "ended": .array(
                wanted.map { connection in
                    [
                        "id": .string(connection.id), "service": .string(connection.service.rawValue),
                        "app": .string(connection.application), "time": .count(connection.time), "age": .seconds(connection.age),
                        "received": .count(connection.receivedBytes), "sent": .count(connection.sentBytes),
                        "by": .string(connection.closedBy.rawValue), "code": .count(connection.code),
                        "reason": .optional(connection.reason), "address": .optional(connection.address),
                    ]
                })
        ]
    }

    // MARK: Polls

    func polls(_ parameters: ConsoleParameters) async throws -> JSONValue {
        var polls: [HeldRow] = []
        for (number, loop) in context.loops.enumerated() where polls.count < parameters.limit {
            let room = parameters.limit - polls.count
            polls += try await loop.eventLoop.submit { [consoles] in
                consoles.flatMap { $0.heldRows(on: number, limit: room) }.prefix(room)
            }.get()
        }
        return [
            "held": .count(services.statistics.heldPolls),
            "polls": .array(
                polls.map { poll in
                    [
                        "id": .string(poll.id), "app": .string(poll.application), "user": .optional(poll.user),
                        "address": .optional(poll.address), "channels": .texts(poll.channels),
                        "channelCount": .count(poll.channelCount), "held": .seconds(poll.held), "hold": .seconds(poll.hold),
                    ]
                }),
        ]
    }
}
