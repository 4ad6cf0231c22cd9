import Identifiers
import PubNubProtocol
import ServerRuntime

/// App Context requests (rules PO-1 to PO-14).
extension PubNubREST {
    func answer(_ request: PubNubServerRequest, _ route: ObjectsRoute, reply: @escaping HTTPReply) {
        do throws(ObjectProblem) {
            switch route {
            case .users: try answer(request, list: .users, reply: reply)
            case .channels: try answer(request, list: .channels, reply: reply)
            case .user(let id, let action): try answer(request, action, kind: .user, name: id, reply: reply)
            case .channel(let id, let action): try answer(request, action, kind: .channel, name: id, reply: reply)
            case .memberships(let user, let isChange):
                guard ObjectInput.isValid(user, .user) else { throw .invalid("Invalid id", location: "uuid", in: "path") }
                let id = Identifier(user)
                try answer(request, .memberships(user: id), isChange: isChange, reply: reply) { .memberships(user: id, $0) }
            case .members(let channel, let isChange):
                guard ObjectInput.isValid(channel, .channel) else {
                    throw .invalid("Invalid id", location: "channel", in: "path")
                }
                let id = Identifier(channel)
                try answer(request, .members(channel: id), isChange: isChange, reply: reply) { .members(channel: id, $0) }
            }
        } catch {
            reply(error.answer)
        }
    }

    // MARK: Users and channels

    private func answer(
        _ request: PubNubServerRequest, _ action: ObjectsRoute.Action, kind: KeysetObjects.Kind, name: String,
        reply: @escaping HTTPReply
    ) throws(ObjectProblem) {
        let objects = application.objects
        guard ObjectInput.isValid(name, kind) else { throw .invalid("Invalid id", location: kind.key, in: "path") }
        let (id, include) = (Identifier(name), try ObjectQuery(request, nil, limits: objects.limits).include)
        switch action {
        case .get:
            guard let metadata = objects.read({ $0.table(kind)[id] }) else { throw .notFound }
            reply(.objects(ObjectBodies.entity(id, metadata, kind: kind, include: include)))
        case .set:
            let patch = try ObjectInput.patch(request.body, kind, limits: objects.limits)
            objects.change(.set(kind, id, patch), ifMatch: request.eTag, by: owner(of: request), of: application) { problem in
                if let problem { return reply(problem.answer) }
                // Another request may have removed the user or channel after this change.
                guard let metadata = objects.read({ $0.table(kind)[id] }) else { return reply(ObjectProblem.notFound.answer) }
                reply(.objects(ObjectBodies.entity(id, metadata, kind: kind, include: include)))
            }
        case .remove:
            objects.change(.remove(kind, id), by: owner(of: request), of: application) { problem in
                reply(problem?.answer ?? .objects(ObjectBodies.removed))
            }
        }
    }

    // MARK: Lists

    private func answer(_ request: PubNubServerRequest, list: ObjectList, reply: @escaping HTTPReply) throws(ObjectProblem) {
        tell(list, try ObjectQuery(request, list, limits: application.objects.limits), for: owner(of: request), reply: reply)
    }

    /// - Parameter call: makes the change from the memberships in the parsed body.
    private func answer(
        _ request: PubNubServerRequest, _ list: ObjectList, isChange: Bool, reply: @escaping HTTPReply,
        call: ([ObjectInput.Membership]) -> ObjectCall
    ) throws(ObjectProblem) {
        let query = try ObjectQuery(request, list, limits: application.objects.limits)
        guard isChange else { return tell(list, query, for: owner(of: request), reply: reply) }
        let changes = try ObjectInput.memberships(request.body, list.otherKind.key, limits: application.objects.limits)
        let owner = owner(of: request)
        application.objects.change(call(changes), by: owner, of: application) { [self] problem in
            if let problem { return reply(problem.answer) }
            tell(list, query, for: owner, reply: reply)
        }
    }

    /// Answers with a page of a list. For a short list, the answer is given before this method returns. So the leader of a cluster answers
    /// a change within the call that makes the change.
    private func tell(_ list: ObjectList, _ query: ObjectQuery, for owner: Identifier?, reply: @escaping HTTPReply) {
        let objects = application.objects
        do throws(ObjectProblem) {
            if let page = try objects.shortPage(of: list, query) { return reply(.objects(ObjectBodies.page(page))) }
        } catch {
            return reply(error.answer)
        }
        Task {
            do throws(ObjectProblem) {
                reply(.objects(ObjectBodies.page(try await objects.page(of: list, query, for: owner))))
            } catch {
                reply(error.answer)
            }
        }
    }
}

extension PubNubServerRequest {
    /// The version in `If-Match`, without the quotation marks that HTTP requires. PubNub's libraries send the version without quotation
    /// marks.
    fileprivate var eTag: String? {
        guard let text = ifMatch, !text.isEmpty else { return nil }
        guard text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return String(text.dropFirst().dropLast())
    }
}
