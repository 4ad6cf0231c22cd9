import PubNubProtocol
import WireCoding

// Adding, removing and loading reactions, which are message actions of one type. Rules LL-125 and LL-126.
extension PubNubCaller {
    /// The type of message actions that are reactions.
    static let reactionType = "reaction"

    func addReaction(_ name: String, to id: String, in channel: String) async throws(LifelineError) {
        let call = PubNubAddActionCall(
            channel: channel, messageTimetoken: try Self.timetoken(id), type: Self.reactionType, value: name)
        do throws(PubNubProblem) {
            _ = try await answer(to: call)
        } catch {
            switch error.failure.httpStatus {
            // Status 409: the reaction exists already, so the call has succeeded.
            case 409?: return
            case 404?:
                throw LifelineError(
                    .badRequest,
                    "The service stores no message with this id on channel \(channel), so no reaction can be added.", number: 404
                )
            default: throw LifelineError(error)
            }
        }
    }

    func removeReaction(_ name: String, from id: String, in channel: String) async throws(LifelineError) {
        let message = try Self.timetoken(id)
        let own = try await actions(on: message, in: channel).first {
            $0.value.isExactly(name) && $0.publisher.isExactly(settings.userID)
        }
        guard let own else { return }
        let call = PubNubRemoveActionCall(channel: channel, messageTimetoken: message, actionTimetoken: own.timetoken)
        do throws(PubNubProblem) {
            _ = try await answer(to: call)
        } catch {
            // Status 404: another client of the user has removed the reaction, so the call has succeeded.
            guard error.failure.httpStatus != 404 else { return }
            throw LifelineError(error)
        }
    }

    func reactions(to id: String, in channel: String) async throws(LifelineError) -> [Reaction] {
        try await actions(on: Self.timetoken(id), in: channel).map { Reaction($0) }
    }

    /// The reactions to a message, oldest first. They are requested together with the message.
    private func actions(on message: Timetoken, in channel: String) async throws(LifelineError) -> [PubNubMessageAction] {
        let (next, isTooLarge) = message.rawValue.addingReportingOverflow(1)
        guard !isTooLarge else { throw Self.noTimetoken }
        let call = PubNubFetchCall(
            channels: [channel], start: Timetoken(rawValue: next), end: message, limit: 1, includesActions: true)
        let found = try await ask(call)[channel].first { $0.timetoken == message }
        return (found?.actions ?? []).filter { $0.type == Self.reactionType }.sorted { $0.timetoken < $1.timetoken }
    }

    private static func timetoken(_ id: String) throws(LifelineError) -> Timetoken {
        guard let timetoken = Timetoken(id), timetoken > .zero else { throw noTimetoken }
        return timetoken
    }

    private static let noTimetoken = LifelineError(
        .badRequest, "The message id is not a timetoken. Pass the id of a message of the channel.")
}

extension Reaction {
    init(_ action: PubNubMessageAction) {
        self.init(
            action.value, messageID: action.messageTimetoken.description, user: action.publisher, addedAt: action.timetoken.date)
    }
}

extension ReactionChange {
    /// Reads a reaction from a message action; nil for a message that is not a reaction.
    init?(_ message: PubNubMessage) {
        guard message.kind == .action, let event = PubNubActionEvent(message), event.action.type == PubNubCaller.reactionType
        else { return nil }
        self = event.isRemoval ? .removed(Reaction(event.action)) : .added(Reaction(event.action))
    }
}
