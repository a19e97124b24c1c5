// Stand-ins of the parts of Unity that the code in docs/unity-and-godot.md uses. They behave like Unity in what matters for
// the requests: JsonUtility writes all fields, and an empty text for a field without a value; a request without an answer has
// the status 0; an answer that is cut has its status and a part of its text; coroutines run one another. Pauses are shorter.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Reflection;
using System.Text;
using System.Threading;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

/** The test replaces `DateTime.UtcNow` in the code of the page by this clock, which is wrong. */
public static class DeviceClock
{
    public static DateTime UtcNow { get { return DateTime.UtcNow.AddDays(3); } }
}

namespace UnityEngine
{
    public class MonoBehaviour { }

    [AttributeUsage(AttributeTargets.Field)]
    public class SerializeField : Attribute { }

    public class WaitForSecondsRealtime
    {
        public readonly float Seconds;
        public WaitForSecondsRealtime(float seconds) { Seconds = seconds; }
    }

    public struct Hash128
    {
        readonly string text;
        Hash128(string text) { this.text = text; }
        public static Hash128 Compute(string data)
        {
            using (var md5 = System.Security.Cryptography.MD5.Create())
                return new Hash128(BitConverter.ToString(md5.ComputeHash(System.Text.Encoding.UTF8.GetBytes(data))).Replace("-", "").ToLowerInvariant());
        }
        public override string ToString() { return text; }
    }

    public static class SystemInfo
    {
        public static string deviceUniqueIdentifier = "4e3a7c0d";
        public static string deviceModel = "Stand-in";
    }

    public static class Application { public static string version = "1.0.0"; }

    public static class Mathf
    {
        public static float Max(float one, float other) { return Math.Max(one, other); }
        public static float Min(float one, float other) { return Math.Min(one, other); }
        public static float Pow(float value, float power) { return (float)Math.Pow(value, power); }
    }

    public static class Random
    {
        static readonly System.Random random = new System.Random();
        public static float Range(float least, float most) { return least + (most - least) * (float)random.NextDouble(); }
    }

    public static class Debug
    {
        public static void LogWarning(object message) { Console.WriteLine("warning " + message); }
        public static void LogError(object message) { Console.WriteLine("error " + message); }
    }

    public static class JsonUtility
    {
        public static string ToJson(object value) { return Write(value).ToString(Formatting.None); }

        /** Throws for a text that is no JSON, like Unity. */
        public static T FromJson<T>(string json) { return JsonConvert.DeserializeObject<T>(json); }

        static JToken Write(object value)
        {
            if (value is string || value.GetType().IsPrimitive) return JToken.FromObject(value);
            if (value is IList list)
            {
                var array = new JArray();
                foreach (var item in list) array.Add(Write(item));
                return array;
            }
            var written = new JObject();
            foreach (var field in value.GetType().GetFields(BindingFlags.Public | BindingFlags.Instance))
                written[field.Name] = Write(field.GetValue(value) ?? (field.FieldType == typeof(string) ? "" : Activator.CreateInstance(field.FieldType)));
            return written;
        }
    }

    /** Runs a coroutine with those that it yields. Calls `afterStep` after each step. */
    public static class Coroutines
    {
        public static void Run(IEnumerator first, Func<bool> afterStep)
        {
            var running = new Stack<IEnumerator>();
            running.Push(first);
            while (running.Count > 0)
            {
                if (!running.Peek().MoveNext()) { running.Pop(); continue; }
                var yielded = running.Peek().Current;
                if (yielded is IEnumerator inner) running.Push(inner);
                else if (yielded is WaitForSecondsRealtime pause) Thread.Sleep((int)(pause.Seconds * 20));
                if (!afterStep()) return;
            }
        }
    }
}

namespace UnityEngine.Networking
{
    public class UploadHandlerRaw
    {
        public readonly byte[] Data;
        public UploadHandlerRaw(byte[] data) { Data = data; }
    }

    public class DownloadHandlerBuffer { public string text = ""; }

    public class UnityWebRequest : IDisposable
    {
        public const string kHttpVerbPOST = "POST";
        public enum Result { InProgress, Success, ConnectionError, ProtocolError, DataProcessingError }
        static readonly HttpClient http = new HttpClient();
        readonly HttpRequestMessage message;
        HttpResponseMessage answer;

        public UploadHandlerRaw uploadHandler;
        public DownloadHandlerBuffer downloadHandler;
        public int timeout;
        public long responseCode { get; private set; }
        public Result result { get; private set; }
        readonly Dictionary<string, string> headers = new Dictionary<string, string>();

        public UnityWebRequest(string url, string method) { message = new HttpRequestMessage(new HttpMethod(method), url); }

        public void SetRequestHeader(string name, string value) { headers[name] = value; }

        public object SendWebRequest()
        {
            message.Content = new ByteArrayContent(uploadHandler.Data);
            foreach (var header in headers)
                if (header.Key.StartsWith("Content-")) message.Content.Headers.TryAddWithoutValidation(header.Key, header.Value);
                else message.Headers.TryAddWithoutValidation(header.Key, header.Value);
            try
            {
                using (var limit = new CancellationTokenSource(timeout * 1000))
                {
                    answer = http.SendAsync(message, HttpCompletionOption.ResponseHeadersRead, limit.Token).GetAwaiter().GetResult();
                    responseCode = (long)answer.StatusCode;
                    ReadText(answer.Content.ReadAsStreamAsync().GetAwaiter().GetResult());
                    result = responseCode < 400 ? Result.Success : Result.ProtocolError;
                }
            }
            catch (Exception error) when (error is HttpRequestException || error is OperationCanceledException || error is IOException)
            {
                result = Result.ConnectionError;
            }
            return null;
        }

        void ReadText(Stream stream)
        {
            var bytes = new MemoryStream();
            try { stream.CopyTo(bytes); }
            finally { downloadHandler.text = Encoding.UTF8.GetString(bytes.ToArray()); }
            // Mono takes a connection that closes early for the end of the answer.
            if (bytes.Length < answer.Content.Headers.ContentLength) throw new IOException("The answer is cut.");
        }

        public string GetResponseHeader(string name)
        {
            IEnumerable<string> values;
            if (answer == null) return null;
            var isFound = answer.Headers.TryGetValues(name, out values) || answer.Content.Headers.TryGetValues(name, out values);
            return isFound ? string.Join(", ", values) : null;
        }

        public void Dispose() { message.Dispose(); answer?.Dispose(); }
    }
}
