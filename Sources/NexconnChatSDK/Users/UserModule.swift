import ChatProtocol
import EngineRuntime
import Foundation

/// Functions for users: profiles, blocklist, and online status. Available as ``NCEngine/userModule``.
///
/// May be used from any thread. Every completion is called once, on the callback queue (rule NH-1).
#if canImport(ObjectiveC)
    @objc(NCUserModule) @objcMembers
#endif
public final class UserModule: NSObject, Sendable {
    let engine: ChatEngine

    init(engine: ChatEngine) {
        self.engine = engine
        super.init()
    }

    /// Loads the signed-in user's profile.
    public func getMyUserProfile(completion: ((_ profile: UserProfile?, _ error: NCError?) -> Void)?) {
        own(engine.answering(completion))
    }

    /// Loads the signed-in user's profile.
    ///
    /// - Throws: the reason why the service did not answer.
    public func myProfile() async throws(NCError) -> UserProfile {
        try await awaiting { own($0) }
    }

    /// Changes the signed-in user's profile. Name and picture are changed only if they are set; all other values are replaced.
    ///
    /// - Parameters:
    ///   - profile: the new profile.
    ///   - completion: called once, on the callback queue. `errorKeys` is always nil; the error's text describes the invalid values.
    public func updateMyUserProfile(
        _ profile: UserProfile, completion: ((_ errorKeys: [String]?, _ error: NCError?) -> Void)?
    ) {
        let block = CallerBlock(completion)
        update(profile, engine.confirming { block(nil, $0) })
    }

    /// Changes the signed-in user's profile. Name and picture are changed only if they are set; all other values are replaced.
    ///
    /// - Throws: the reason why the service refused.
    public func updateMyProfile(_ profile: UserProfile) async throws(NCError) {
        try await awaiting { update(profile, $0) }
    }

    /// Loads the profiles of users. The result lacks users who do not exist.
    ///
    /// - Parameters:
    ///   - userIds: 1 … 100 ids.
    ///   - completion: called once, on the callback queue.
    public func getUserProfiles(userIds: [String], completion: ((_ profiles: [UserProfile]?, _ error: NCError?) -> Void)?) {
        profiles(userIds, engine.answering(completion))
    }

    /// Loads the profiles of 1 … 100 users. The result lacks users who do not exist.
    ///
    /// - Throws: the reason why the service did not answer.
    public func profiles(_ userIds: [String]) async throws(NCError) -> [UserProfile] {
        try await awaiting { profiles(userIds, $0) }
    }

    private func own(_ completion: @escaping Completion<UserProfile>) {
        engine.perform(completion) { (client, completion) throws(NCError) in
            guard let user = client.user else {
                throw NCError(
                    .notConnectedYet,
                    reason: "The server has not confirmed the user's token yet: wait for the completion of connect.")
            }
            self.profiles([user]) { result in
                completion(
                    result.flatMap { profiles in
                        profiles.first.map { .success($0) } ?? .failure(.strangeAnswer)
                    })
            }
        }
    }

    private func update(_ profile: UserProfile, _ completion: @escaping Completion<Void>) {
        do throws(NCError) {
            let extra = try profile.extra()
            engine.ask(.updateUser(name: profile.name, avatar: profile.avatarUrl, extra: extra), completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    private func profiles(_ users: [String], _ completion: @escaping Completion<[UserProfile]>) {
        guard (1...100).contains(users.count) else {
            return completion(.failure(NCError(code: 24365, reason: "Pass 1 to 100 userIds in one call.")))
        }
        engine.ask(.users(users), completion: completion) { _, answer throws(NCError) in
            guard let users = answer.users else { throw .strangeAnswer }
            return users.map(UserProfile.init)
        }
    }
}

extension NCEngine {
    /// Functions for users: profiles, blocklist, and online status.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static var userModule: UserModule { UserModule(engine: engine) }
}
