// Plays with the class of docs/unity-and-godot.md until all its events are sent. It replaces the access token once, as if it
// had expired.
using System;
using System.Collections;
using System.Reflection;
using UnityEngine;

public static class UnityGame
{
    const int EventCount = 1200;
    const BindingFlags Private = BindingFlags.NonPublic | BindingFlags.Instance;

    public static void Main(string[] args)
    {
        var client = new GuildhallClient();
        Func<string, FieldInfo> Field = name => typeof(GuildhallClient).GetField(name, Private);
        Field("url").SetValue(client, args[0]);
        Field("gameKey").SetValue(client, args[1]);
        var waiting = (ICollection)Field("waiting").GetValue(client);
        var isPlaying = false;
        var hasExpired = false;

        Func<bool> afterStep = () =>
        {
            var session = Field("session").GetValue(client);
            if (session == null) return true;
            if (!isPlaying)
            {
                isPlaying = true;
                for (var number = 0; number < EventCount; number++) client.Add("jump", number);
            }
            if (!hasExpired && waiting.Count < EventCount)
            {
                hasExpired = true;
                session.GetType().GetField("accessToken").SetValue(session, "expired");
            }
            return waiting.Count > 0;
        };

        Coroutines.Run((IEnumerator)typeof(GuildhallClient).GetMethod("Start", Private).Invoke(client, null), afterStep);
        Console.WriteLine("sent all events");

        for (var number = 0; number <= 10000; number++) client.Add("jump", number);
        Console.WriteLine("waiting " + waiting.Count);
    }
}
