import ServerRuntime

/// A call of a console that the server that leads answers.
enum ConsoleCall: Hashable, Sendable, Codable {
    case channels(ConsoleListing)
    case members(channel: String, ConsoleListing)
    case publish(ConsoleMessage)
    case end(user: String, application: String?)

    /// The application, by the id of its row; nil for the first one.
    var application: String? {
        switch self {
        case .channels(let listing), .members(_, let listing): listing.application
        case .publish(let message): message.application
        case .end(_, let application): application
        }
    }

    /// The channel; nil for a call about no channel, or about several.
    var channel: String? {
        switch self {
        case .members(let channel, _): channel
        case .publish(let message): message.channel
        case .channels, .end: nil
        }
    }

    /// Whether it changes nothing.
    var isReading: Bool {
        switch self {
        case .channels, .members: true
        case .publish, .end: false
        }
    }

    /// Performs the call.
    func answer(by service: any ConsoleCalls) async -> ConsoleReply {
        do {
            switch self {
            case .channels(let listing): return .channels(try await service.channelRows(listing))
            case .members(let channel, let listing): return .members(try await service.members(of: channel, listing))
            case .publish(let message): return .done(try await service.publish(message))
            case .end(let user, let application): return .done(try await service.endConnections(of: user, in: application))
            }
        } catch let problem as HTTPProblem {
            return .refused(status: problem.status, message: problem.message)
        } catch {
            return .refused(status: 503, message: "The server could not find out (\(type(of: error))). Try again.")
        }
    }
}

/// What the leader answers.
enum ConsoleReply: Hashable, Sendable, Codable {
    case channels(ChannelRows)
    case members(ChannelMembers)
    /// A sentence about what was done.
    case done(String)
    case refused(status: Int, message: String)
}

/// A call with the name of the service that answers it.
struct ForwardedConsoleCall: Hashable, Sendable, Codable {
    var service: String
    var call: ConsoleCall
}
