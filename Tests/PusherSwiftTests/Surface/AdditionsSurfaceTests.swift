import Foundation
import PusherSwift
import Testing

/// What the documentation of `PusherSwift` shows, spelled as there: without `@testable`. What would not compile here would not compile in
/// an app.
struct AdditionsSurfaceTests {
    private func options() -> PusherClientOptions {
        let options = PusherClientOptions(authMethod: .endpoint(authEndpoint: "https://example.com/pusher/auth"))
        options.callbackQueue = DispatchQueue(label: "test.additions")
        options.userAuthentication = .endpoint(authEndpoint: "https://example.com/pusher/user-auth")
        return options
    }

    @Test func `users`() {
        let pusher = Pusher(key: "APP_KEY", options: options())
        pusher.user.bind(eventName: "order-shipped") { event in print(event.data ?? "") }
        pusher.user.watchlist.bind(eventName: "online") { event in print("online:", event.userIds) }
        pusher.bind { event in if event.eventName == "pusher:signin_error" { print(event.data ?? "") } }
        pusher.signin()
        #expect(!pusher.user.isSignedIn && pusher.user.userId == nil && pusher.user.userData == nil)
        pusher.signout()
    }

    @Test func `ways to vouch for users`() {
        final class Mine: UserAuthenticator {
            func fetchUserAuthValue(socketID: String, completionHandler: @escaping @Sendable (PusherUserAuth?) -> Void) {
                completionHandler(PusherUserAuth(auth: "k:s", userData: #"{"id":"ann"}"#))
            }
        }
        let methods: [UserAuthMethod] = [
            .handler { socketID, completion in completion(socketID.isEmpty ? nil : PusherUserAuth(auth: "", userData: "")) },
            .authenticator(authenticator: Mine()), .inline(secret: "secret"), .inline(secret: "s", watchlist: ["bob"]), .noMethod,
        ]
        for method in methods {
            let options = options()
            options.userAuthentication = method
            #expect(options.userAuthEndpoint == nil)
        }
    }

    @Test func `waiting for a sign-in`() async {
        let pusher = Pusher(key: "APP_KEY", options: options())
        pusher.user.signin()
        pusher.user.signout()
        let task = Task {
            do {
                let user = try await pusher.signin()
                print(user.userId)
                return ""
            } catch let error as PusherSigninError {
                return error.category
            }
        }
        task.cancel()
        #expect((try? await task.value) == "cancelled")
    }

    @Test func `settings`() {
        let options = options()
        options.headers = ["X-Tenant": "a"]
        options.authHeaders = ["X-CSRF-Token": "b"]
        options.authParams = ["c": "d"]
        options.authHeadersProvider = { ["Authorization": "Bearer e"] }
        options.authParamsProvider = { [:] }
        options.certificateAuthorityFile = "/ca.pem"
        options.certificatePins = ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
        options.proxy = PusherProxy(host: "proxy.example", port: 3128)
        options.subscribeTimeout = 5
        let pusher = Pusher(key: "APP_KEY", options: options)
        #expect(pusher.subscribe("a", timeout: 2) === pusher.subscribe("a"))
        #expect(options.proxy?.port == 3128 && options.subscribeTimeout == 5)
    }
}
