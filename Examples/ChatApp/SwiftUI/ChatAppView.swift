#if canImport(SwiftUI)
    import ChatAppModel
    import Lifeline
    import SwiftUI

    /// Makes the model's state something that SwiftUI follows.
    @MainActor
    final class ChatStore: ObservableObject {
        @Published private(set) var state = ChatState()
        private let model: ChatModel

        init(_ model: ChatModel) {
            self.model = model
            model.onChange = { [weak self] in self?.state = $0 }
        }

        func start() async { try? await model.start() }
        func send(_ text: String) { Task { await model.send(text) } }
        func stop() async { await model.stop() }
    }

    /// The chat room: banner, lines, outbox, who is there, and a field to write in.
    struct ChatView: View {
        @StateObject var store: ChatStore
        @State private var draft = ""

        var body: some View {
            VStack {
                if let text = store.state.banner.text {
                    Text(text).foregroundColor(.secondary)
                }
                Text(store.state.present.joined(separator: ", "))
                List(store.state.rows) { row in
                    RowView(content: row.content)
                }
                ForEach(store.state.outbox) { line in
                    OutgoingView(line: line)
                }
                HStack {
                    TextField("Message", text: $draft)
                    Button("Send") {
                        store.send(draft)
                        draft = ""
                    }
                    .disabled(draft.isEmpty)
                }
            }
            .task { await store.start() }
        }
    }

    struct RowView: View {
        let content: Row.Content

        var body: some View {
            switch content {
            case .line(let line): Text("\(line.from): \(line.text)")
            case .gap: Text("Lines may be missing here").foregroundColor(.secondary)
            case .unreadable: Text("Something that is no line of chat").foregroundColor(.secondary)
            }
        }
    }

    struct OutgoingView: View {
        let line: OutgoingLine

        var body: some View {
            switch line.state {
            case .sending, .accepted: Text(line.text).foregroundColor(.secondary)
            case .refused(let reason): Text("Not sent: \(line.text). \(reason)").foregroundColor(.red)
            case .unknown: Text("Perhaps sent: \(line.text)").foregroundColor(.red)
            }
        }
    }

    @main
    struct ChatSwiftUIApp: App {
        var body: some Scene {
            WindowGroup {
                ChatView(store: ChatStore(ChatModel(Self.service, name: "ann", channel: "chatapp")))
            }
        }

        /// A server on this machine: `lifeline serve`.
        static let service = Service.pubnub(
            publishKey: "demo", subscribeKey: "demo", userID: "ann", host: ServiceHost("127.0.0.1", port: 6001, tls: false))
    }
#endif
