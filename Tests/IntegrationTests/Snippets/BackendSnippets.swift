import LifelineBackend

// As PusherSnippets.swift, for the documentation catalog of LifelineBackend.

func backendLanding() async throws {
    let backend = try PusherBackend(
        appID: "1001", keys: [PusherKey("app-key", secret: "app-secret")],
        address: BackendAddress("127.0.0.1", port: 6001, tls: false))
    try await backend.trigger("new-price", on: ["prices"], data: ["ACME": 3])
}

func authorize(_ channel: String, _ socketID: String, _ user: String, with backend: PusherBackend) throws -> String {
    try backend.authorize(channel: channel, socketID: socketID, user: PusherBackendUser(id: user)).json
}

func received(_ body: [UInt8], key: String?, signature: String?, by backend: PusherBackend) throws {
    for event in try backend.webhook(body: body, key: key, signature: signature).events {
        if case .channelOccupied(let channel) = event { print("\(channel) has subscribers") }
    }
}
