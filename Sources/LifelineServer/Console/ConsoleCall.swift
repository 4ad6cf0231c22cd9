import ServerRuntime

/// A call of the console that the leader of a partition answers.
enum ConsoleCall: Hashable, Sendable, Codable {
    case channels(ConsoleListing)
    case members(channel: String, ConsoleListing)
    case publish(ConsoleMessage)
    case end(user: String, application: String?)

    /// The id of the application that the call is about, as the console's list shows it; nil for the first application.
    var application: String? {
        switch self {
        case .channels(let listing), .members(_, let listing): listing.application
        case .publish(let message): message.application
        case .end(_, let application): application
        }
    }

    /// The channel that the call is about; nil for none or several.
    var channel: String? {
        switch self {
        case .members(let channel, _): channel
        case .publish(let message): message.channel
        case .channels, .end: nil
        }
    }

    /// Whether the call only reads.
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
            return .refused(
                status: 503, message: "The server could not answer because of an internal error (\(type(of: error))). Try again.")
        }
    }
}

/// The leader's answer to a console call.
enum ConsoleReply: Hashable, Sendable, Codable {
    case channels(ChannelRows)
    case members(ChannelMembers)
    /// A sentence that says what the call has done.
    case done(String)
    case refused(status: Int, message: String)
}

/// A console call with the name of the service that answers it.
struct ForwardedConsoleCall: Hashable, Sendable, Codable {
    var service: String
    var call: ConsoleCall
}
